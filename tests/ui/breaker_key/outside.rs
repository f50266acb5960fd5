use resilient::resilient;

#[resilient(breaker = "orders", key = shard)]
async fn call(shard: &str) -> std::io::Result<usize> {
    Ok(shard.len())
}

fn main() {}
