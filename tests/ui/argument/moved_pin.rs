use resilient::resilient;
use std::pin::Pin;

struct Client;

impl Client {
    #[resilient(retry(max = 3))]
    async fn call(self: Pin<&mut Self>) -> std::io::Result<u32> {
        self.poll()
    }

    fn poll(self: Pin<&mut Self>) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {}
// shape 75
