use resilient::resilient;

struct Client(u32);

impl Client {
    #[resilient(hedge, idempotent)]
    async fn call(mut self) -> std::io::Result<u32> {
        self.0 += 1;
        Ok(self.0)
    }
}

fn main() {}
