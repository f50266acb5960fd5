use resilient::resilient;

struct Client(u32);

impl Client {
    #[resilient(retry(max = 3))]
    async fn call(mut self) -> std::io::Result<u32> {
        self.0 += 1;
        Ok(self.0)
    }
}

fn main() {}
// shape 9; mistake 36; case N12
