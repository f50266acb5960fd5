use resilient::resilient;

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str) -> Option<u32> {
    Some(key.len() as u32)
}

fn main() {}
