use resilient::resilient;

#[resilient(timeout = "10s", deadline = "5s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 29
