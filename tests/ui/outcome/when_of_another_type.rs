use resilient::resilient;

fn is_transient(error: &str) -> bool {
    error.is_empty()
}

#[resilient(retry(when = is_transient))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
