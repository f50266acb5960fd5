use resilient::resilient;

#[tokio::main]
#[resilient(retry)]
async fn main() -> std::io::Result<()> {
    Ok(())
}
