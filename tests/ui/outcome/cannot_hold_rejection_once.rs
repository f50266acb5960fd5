use resilient::resilient;

struct Failure;

#[resilient(timeout = "1s")]
async fn call() -> Result<u32, Failure> {
    Ok(1)
}

fn main() {}
