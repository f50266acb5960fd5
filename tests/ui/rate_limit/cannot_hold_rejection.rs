use resilient::resilient;

struct Failure;

#[resilient(rate_limit = "api")]
async fn call() -> Result<(), Failure> {
    Ok(())
}

fn main() {}
