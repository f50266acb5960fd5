use resilient::resilient;

#[resilient(retry(jitter = "fulll"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 25
