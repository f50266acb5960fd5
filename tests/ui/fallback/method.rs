use resilient::resilient;

struct Client(u32);

impl Client {
    #[resilient(timeout = "5s", fallback = self.cached())]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(self.0)
    }

    async fn cached(&self) -> std::io::Result<u32> {
        Ok(self.0)
    }
}

fn main() {}
