#![deny(dead_code)]

use resilient::resilient;

pub struct Client;

impl Client {
    #[resilient(retry(max = 3))]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {}
// case N08
