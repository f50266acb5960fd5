use resilient::resilient;
use std::time::Duration;

struct Client;

impl Client {
    const TIMEOUT: Duration = Duration::from_secs(5);

    #[resilient(timeout = { Self::TIMEOUT })]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {}
