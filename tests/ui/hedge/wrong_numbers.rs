use resilient::resilient;

#[resilient(hedge(after = "p100", floor = 5, max = 1), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge = "50ms", idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(delay = "50ms", after = 0.95), idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
