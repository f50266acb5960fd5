use resilient::resilient;

#[resilient(timeout = "5s".into())]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(name = "call".to_string(), timeout = "5s")]
async fn another() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(hedge(after = "p95".to_owned()), idempotent)]
async fn third() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
