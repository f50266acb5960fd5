use resilient::resilient;

pub struct Failure;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str) -> Result<u32, Failure> {
    Ok(key.len() as u32)
}

fn main() {}
