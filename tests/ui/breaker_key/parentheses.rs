use resilient::resilient;

#[resilient(breaker(name = "orders", key(shard)))]
async fn call(shard: &str) -> std::io::Result<usize> {
    Ok(shard.len())
}

fn main() {}
