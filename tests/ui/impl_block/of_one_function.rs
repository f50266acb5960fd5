use resilient::resilient;

#[resilient(retry, name = "call", clone(body))]
impl Client {
    #[resilient]
    async fn call(&self, body: String) -> std::io::Result<usize> {
        Ok(body.len())
    }
}

struct Client;

fn main() {}
