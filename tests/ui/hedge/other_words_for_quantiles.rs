use resilient::resilient;

#[resilient(hedge(after = "95%"), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(after = p95), idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(after = "median"), idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(percentile = 95), idempotent)]
async fn fourth() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(floor = "p50"), idempotent)]
async fn fifth() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
