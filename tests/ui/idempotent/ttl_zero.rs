use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed", ttl = "0s"))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
