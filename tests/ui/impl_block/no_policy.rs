use resilient::resilient;

#[resilient(idempotent)]
impl Client {
    #[resilient]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

fn main() {}
