use resilient::resilient;

struct Transaction;

#[resilient(idempotent(store = "orders", key = key, scope = shared, tx = tx))]
async fn call(key: &str, tx: Transaction) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
