use resilient::resilient;

struct Client;

#[resilient(rate_limit(max_wait = "1s"))]
impl Client {
    #[resilient(rate_limit(limiter = "api"))]
    async fn named(&self) -> std::io::Result<()> {
        Ok(())
    }

    #[resilient]
    async fn unnamed(&self) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() {}
