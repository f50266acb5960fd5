use resilient::resilient;

#[resilient(retry(attempts = 3), circuit_breaker = "payment")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
