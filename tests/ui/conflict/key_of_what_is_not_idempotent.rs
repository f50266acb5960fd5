use resilient::resilient;

#[resilient(retry, idempotent = false, idempotency_key)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 47
