use std::time::Duration;

use resilient::resilient;

const MAX: Duration = Duration::from_secs(5);

#[resilient(retry(max = { MAX }))]
impl Client {
    #[resilient]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

fn main() {}
