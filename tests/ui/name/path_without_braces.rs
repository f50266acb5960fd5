use resilient::resilient;

#[resilient(breaker = names::PAYMENT)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
