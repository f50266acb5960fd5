use resilient::resilient;

#[resilient(retry, !idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, not_idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
