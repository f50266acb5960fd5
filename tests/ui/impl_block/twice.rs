use resilient::resilient;

#[resilient(retry)]
#[resilient(timeout = "1s")]
impl Client {
    #[resilient]
    #[resilient(timeout = "1s")]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

fn main() {}
