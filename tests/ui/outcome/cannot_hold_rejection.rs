use resilient::{Classify, resilient};

#[derive(Classify)]
#[transient]
struct Failure;

#[resilient(retry(max = 3))]
async fn call() -> Result<u32, Failure> {
    Ok(1)
}

fn main() {}
// mistake 12
