#![deny(dead_code)]

use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// case N08
