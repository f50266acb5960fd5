use resilient::resilient;
use std::time::Duration;

#[resilient(timeout = { limit })]
async fn call(limit: Duration) -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
