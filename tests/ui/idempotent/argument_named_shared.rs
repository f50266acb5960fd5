use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str, shared: &str) -> std::io::Result<u32> {
    Ok((key.len() + shared.len()) as u32)
}

fn main() {}
