use resilient::resilient;

#[resilient(retry(max = 5_000_000_000))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 24
