use resilient::resilient;

#[resilient(breaker(name = "orders", key = "shard-{shard}"))]
async fn call(shard: u32) -> std::io::Result<u32> {
    Ok(shard)
}

fn main() {}
