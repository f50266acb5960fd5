use resilient::resilient;

async fn find(_record: &resilient::idempotency::Record) -> Option<u32> {
    None
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "unkeyed", resolve = find))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
