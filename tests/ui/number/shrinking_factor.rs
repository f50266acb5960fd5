use resilient::resilient;

#[resilient(retry(factor = 0.5))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 28; case D04
