use resilient::resilient;

#[resilient(hedge(after = "2s"), timeout = "1s", idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(after = "50ms", floor = "10ms"), timeout = "1s", idempotent)]
async fn floored() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
