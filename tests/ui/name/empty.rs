use resilient::resilient;

#[resilient(breaker = "")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 40
