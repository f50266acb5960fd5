#![deny(unused_variables, unused_must_use, unreachable_code)]

use resilient::resilient;

#[resilient(retry(max = 3))]
pub async fn call() -> std::io::Result<u32> {
    let unused = 1;
    std::fs::read("file");
    return Ok(1);
    Ok(2)
}

fn main() {}
