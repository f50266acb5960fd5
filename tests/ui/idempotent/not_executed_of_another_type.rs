use resilient::resilient;

fn unsent(_error: &str) -> bool {
    true
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "unkeyed", not_executed = unsent))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
