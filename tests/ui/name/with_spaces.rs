use resilient::resilient;

#[resilient(breaker = "the payment")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 40
