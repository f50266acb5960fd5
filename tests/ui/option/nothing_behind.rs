use resilient::resilient;

#[resilient(timeout =)]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, idempotency_key =)]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(jitter, nested, max))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, name, registry)]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
