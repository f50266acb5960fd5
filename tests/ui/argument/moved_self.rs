use resilient::resilient;

struct Client(String);

impl Client {
    #[resilient(retry(max = 3))]
    async fn call(self) -> std::io::Result<String> {
        Ok(self.0)
    }
}

fn main() {}
// shape 8
