use resilient::resilient;

#[resilient(timeout = None)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = Some("5s"))]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
