use resilient::resilient;

#[resilient(retry(max = 4, timeout = "1s"))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(when = is_transient)]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
