use resilient::resilient;

const PAYMENT: &str = "the payment";

#[resilient(breaker = { PAYMENT })]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
