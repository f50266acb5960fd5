use resilient::resilient;

#[resilient(breaker(name = "orders", key = shard, key = tenant))]
async fn call(shard: u32, tenant: u32) -> std::io::Result<u32> {
    Ok(shard + tenant)
}

fn main() {}
