use resilient::resilient;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(5);

#[resilient(timeout = TIMEOUT)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 53
