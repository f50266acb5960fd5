use resilient::resilient;

#[derive(Clone)]
struct Client(String);

impl Client {
    #[resilient(retry(max = 3), clone(self))]
    async fn call(self) -> std::io::Result<String> {
        Ok(self.0)
    }
}

fn main() {}
// mistake 33
