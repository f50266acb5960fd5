use resilient::resilient;

#[resilient(retry(base = "10s", cap = "1s"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 27
