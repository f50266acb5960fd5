use resilient::resilient;

pub struct Order;

#[resilient(idempotent(store = "orders", key = key, scope = shared, fingerprint = &order, effects = "keyed"))]
async fn call(key: &str, order: Order) -> std::io::Result<u32> {
    let _ = order;
    Ok(key.len() as u32)
}

fn main() {}
