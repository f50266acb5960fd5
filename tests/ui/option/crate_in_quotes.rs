use resilient::resilient;

#[resilient(retry, crate = "resilient")]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, crate = "crate::facade")]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
