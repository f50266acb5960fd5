#![deny(deprecated, unused_must_use)]

use resilient::resilient;

struct Client;

impl Client {
    #[must_use = "it tells what was paid"]
    #[deprecated(note = "pay in advance")]
    #[resilient(retry(max = 3), idempotent)]
    async fn pay(&self) -> std::io::Result<u32> {
        Ok(1)
    }

    #[resilient(retry(max = 3), idempotent)]
    #[must_use = "it tells what was paid"]
    #[deprecated(note = "pay in advance")]
    async fn pay_again(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {
    Client.pay();
    Client.pay_again();
}
