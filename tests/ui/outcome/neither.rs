use resilient::resilient;

#[resilient(retry(max = 3), breaker = "payment")]
async fn call() -> Result<u32, String> {
    Ok(1)
}

fn main() {}
