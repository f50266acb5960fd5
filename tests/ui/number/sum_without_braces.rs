use resilient::resilient;

#[resilient(retry(max = u32::MAX - 1))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
