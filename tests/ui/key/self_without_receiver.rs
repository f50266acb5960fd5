use resilient::resilient;

struct Client;

impl Client {
    #[resilient(retry, idempotency_key = self.id)]
    async fn call(to: &str) -> std::io::Result<usize> {
        Ok(to.len())
    }
}

fn main() {}
