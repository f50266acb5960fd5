use resilient::resilient;

struct Shop;

#[resilient(idempotent(store = "orders", scope = shared, effects = "keyed", lease = "1h", ttl = "1m"))]
impl Shop {
    #[resilient(idempotent(key = key))]
    async fn order(&self, key: &str) -> std::io::Result<usize> {
        Ok(key.len())
    }
}

fn main() {}
