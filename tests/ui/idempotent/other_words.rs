use resilient::resilient;

#[resilient(idempotent(ledger = "orders", key = key, tenant = key, payload = key, side_effects = "none", expires_in = "1h", transaction = key))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
