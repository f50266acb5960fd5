use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &[u8]) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
