use resilient::resilient;

#[derive(serde::Serialize)]
pub struct Receipt(usize);

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed"))]
async fn call(key: &str) -> std::io::Result<Receipt> {
    Ok(Receipt(key.len()))
}

fn main() {}
