use resilient::resilient;

struct Client {
    shard: u32,
}

#[resilient(breaker(name = "orders", key = shard))]
impl Client {
    #[resilient]
    async fn by_argument(shard: u32) -> std::io::Result<u32> {
        Ok(shard)
    }

    #[resilient]
    async fn by_field(&self) -> std::io::Result<u32> {
        Ok(self.shard)
    }
}

fn main() {}
