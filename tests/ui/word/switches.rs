use resilient::resilient;

#[resilient(retry(jitter = true), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(jitter = false), idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(nested = true), idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(nested = false), idempotent)]
async fn fourth() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
