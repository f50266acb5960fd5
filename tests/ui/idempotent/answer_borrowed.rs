use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str) -> std::io::Result<&str> {
    Ok(key)
}

fn main() {}
