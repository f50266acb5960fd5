use resilient::resilient;

#[resilient(retry(cap = "1s"), timeout = "5s")]
impl Client {
    #[resilient(deadline = "2s")]
    async fn shorter(&self) -> std::io::Result<u32> {
        Ok(1)
    }

    #[resilient(retry(base = "3s"))]
    async fn slower(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

fn main() {}
