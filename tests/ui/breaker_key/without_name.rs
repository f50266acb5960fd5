use resilient::resilient;

#[resilient(timeout = "1s", breaker(key = shard))]
async fn call(shard: &str) -> std::io::Result<usize> {
    Ok(shard.len())
}

fn main() {}
