use resilient::resilient;

#[resilient(idempotent("orders"))]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
