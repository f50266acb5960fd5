use resilient::resilient;

#[resilient(timeout = std::time::Duration::from_secs(5), deadline = "15s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
