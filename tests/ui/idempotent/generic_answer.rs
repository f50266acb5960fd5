use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call<T: Send>(key: &str, value: T) -> std::io::Result<T> {
    let _ = key;
    Ok(value)
}

fn main() {}
