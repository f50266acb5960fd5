use resilient::resilient;

#[resilient(timeout = "5s", fallback = Ok(0))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
