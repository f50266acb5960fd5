use resilient::resilient;

#[resilient(retry)]
fn call() -> impl Future<Output = std::io::Result<u32>> {
    async move { Ok(1) }
}

fn main() {}
// shape 30; case N28
