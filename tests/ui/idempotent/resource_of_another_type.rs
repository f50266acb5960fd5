use resilient::resilient;

fn order(answer: &u32) -> String {
    answer.to_string()
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "keyed", resource = order))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
