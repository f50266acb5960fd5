use resilient::resilient;

#[resilient(retry(jitter = Jitter::Full))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
