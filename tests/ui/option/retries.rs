use resilient::resilient;

#[resilient(retry(max_retries = 3), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retries = 3, idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(attempts = 3, idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
