use resilient::resilient;

struct Client {
    class: fn(&std::io::Result<u32>) -> resilient::Class,
}

impl Client {
    #[resilient(retry, idempotent, classify = self.class)]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {}
