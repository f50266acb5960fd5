use resilient::resilient;

#[resilient(timeout = "1s", ttl = "24h")]
async fn call(key: &str) -> std::io::Result<u32> {
    Ok(key.len() as u32)
}

fn main() {}
