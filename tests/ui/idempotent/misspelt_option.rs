use resilient::resilient;

#[resilient(idempotent(stroe = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
