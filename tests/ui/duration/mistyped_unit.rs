use resilient::resilient;

#[resilient(timeout = "5sek")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
