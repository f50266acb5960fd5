use resilient::resilient;

trait Client {
    #[resilient(retry)]
    async fn call(&self) -> std::io::Result<u32>;
}

fn main() {}
