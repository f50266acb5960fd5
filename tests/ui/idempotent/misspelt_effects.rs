use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyd"))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
