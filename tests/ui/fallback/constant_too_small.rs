use std::time::Duration;

use resilient::resilient;

const NOTHING: Duration = Duration::ZERO;

async fn cached(_error: std::io::Error) -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback(call = cached, timeout = { NOTHING }))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
