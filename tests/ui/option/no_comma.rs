use resilient::resilient;

#[resilient(retry(max = 4) timeout = "5s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 49
