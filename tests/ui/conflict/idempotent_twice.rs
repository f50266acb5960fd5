use resilient::resilient;

#[resilient(retry, idempotent, idempotency_key)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
