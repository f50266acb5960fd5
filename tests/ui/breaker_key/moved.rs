use resilient::resilient;

// The key does not move it, the body does.
#[resilient(dependency = "orders", breaker(key = shard), idempotent)]
async fn call(shard: String) -> std::io::Result<String> {
    Ok(shard)
}

fn main() {}
