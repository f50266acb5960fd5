use resilient::resilient;

#[resilient(timeout = "5s"; deadline = "9s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
