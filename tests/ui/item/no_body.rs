use resilient::resilient;

trait Client {
    #[resilient(retry)]
    async fn call(&self) -> std::io::Result<u32>;
}

fn main() {}
// shape 26; mistake 7; case N16
