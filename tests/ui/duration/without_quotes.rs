use resilient::resilient;

#[resilient(timeout = 5s, deadline = 1.5m)]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = 5.0)]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = b"5s")]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = true)]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
