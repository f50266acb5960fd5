use resilient::resilient;

#[resilient(retry)]
trait Client {
    async fn call(&self) -> std::io::Result<u32>;
}

fn main() {}
