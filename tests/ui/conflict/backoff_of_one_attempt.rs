use resilient::resilient;

#[resilient(retry(max = 1, base = "1s", jitter = "full"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 23; case CF-14
