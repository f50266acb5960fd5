use resilient::resilient;

#[resilient(breaker(name = "orders", key = { let taken = shard; taken }))]
async fn call(shard: String) -> std::io::Result<String> {
    Ok(shard)
}

fn main() {}
