use resilient::resilient;

#[resilient(retry(mx = 4))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 1; case N15
