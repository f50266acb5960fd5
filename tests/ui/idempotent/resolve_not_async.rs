use resilient::resilient;

use resilient::idempotency::{Record, Resolution};

fn find(_record: &Record) -> Resolution<u32> {
    Resolution::Unknown
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "unkeyed", resolve = find))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
