use resilient::resilient;

#[resilient(retry(max = 3, max = 4), timeout = "1s", timeout = "2s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 4; case N15
