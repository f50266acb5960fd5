use resilient::resilient;

#[resilient(hedge = 2, idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge = true, idempotent)]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge = "search", idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(3), idempotent)]
async fn fourth() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
