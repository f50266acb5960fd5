use resilient::resilient;

const WAIT: std::time::Duration = std::time::Duration::ZERO;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed", wait = { WAIT }))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
