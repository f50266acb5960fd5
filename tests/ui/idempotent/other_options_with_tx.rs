use resilient::resilient;

struct Transaction;

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    tx = tx,
    effects = "keyed",
    lease = "30s",
    max_run = "1h",
    wait = "1s",
    store_errors,
    not_executed = unsent,
    resolve = find
))]
async fn call(key: &str, tx: &mut Transaction) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
