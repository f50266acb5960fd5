use resilient::resilient;

#[resilient(
    retri(max = 4),
    timeout = "5",
    retry(max = 0, jitter = "fulll"),
    breaker = "pay ment"
)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
