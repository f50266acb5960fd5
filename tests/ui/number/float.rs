use resilient::resilient;

#[resilient(retry(max = 4.5))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 24
