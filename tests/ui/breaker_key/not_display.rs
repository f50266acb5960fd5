use resilient::resilient;

struct Shard {
    name: Vec<u8>,
}

#[resilient(breaker(name = "orders", key = shard.name))]
async fn call(shard: &Shard) -> std::io::Result<usize> {
    Ok(shard.name.len())
}

fn main() {}
