use resilient::resilient;

#[resilient(hedge(after = "2s"), idempotent, deadline = "1s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(after = "p95", floor = "2s"), idempotent, timeout = "1s")]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
