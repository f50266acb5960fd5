use resilient::resilient;

struct Shop;

#[resilient(idempotent(store = "orders", scope = shared, effects = "keyed"))]
impl Shop {
    #[resilient(idempotent(key = key))]
    async fn order(&self, key: &str) -> std::io::Result<usize> {
        Ok(key.len())
    }

    #[resilient]
    async fn look(&self) -> std::io::Result<usize> {
        Ok(1)
    }
}

fn main() {}
