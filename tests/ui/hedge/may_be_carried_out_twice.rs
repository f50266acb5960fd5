use resilient::resilient;

#[resilient(hedge(after = "50ms"), breaker = "search")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
