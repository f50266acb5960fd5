#![deny(missing_docs)]

//! What is written into the documentation goes where there is some, so that a lack of it still shows.

use resilient::resilient;

#[resilient(retry(max = 3), idempotent)]
pub async fn undocumented() -> std::io::Result<u32> {
    Ok(1)
}

/// Words.
#[resilient(retry(max = 3), idempotent)]
pub async fn documented() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
