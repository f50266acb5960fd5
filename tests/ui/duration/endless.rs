use resilient::resilient;

#[resilient(deadline = "forever")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "none")]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
