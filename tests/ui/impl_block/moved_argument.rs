use resilient::resilient;

#[resilient(retry)]
impl Client {
    #[resilient]
    async fn call(&self, body: String) -> std::io::Result<usize> {
        drop(body);
        Ok(1)
    }
}

struct Client;

fn main() {}
