use resilient::resilient;

#[resilient(retry(jitter = full))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 26
