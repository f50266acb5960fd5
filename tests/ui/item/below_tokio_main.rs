use resilient::resilient;

#[tokio::main]
#[resilient(retry)]
async fn main() -> std::io::Result<()> {
    Ok(())
}
// shape 72; mistake 9
