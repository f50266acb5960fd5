use resilient::resilient;

#[resilient(retry)]
impl Client {
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

fn main() {}
// case N22
