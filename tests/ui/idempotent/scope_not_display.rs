use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = user, effects = "keyed"))]
async fn call(key: &str, user: Option<u32>) -> std::io::Result<u32> {
    let _ = user;
    Ok(key.len() as u32)
}

fn main() {}
