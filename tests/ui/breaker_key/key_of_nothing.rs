use resilient::resilient;

#[resilient(breaker(name = "orders", key = shrad.name))]
async fn call(shard: &str) -> std::io::Result<usize> {
    Ok(shard.len())
}

fn main() {}
