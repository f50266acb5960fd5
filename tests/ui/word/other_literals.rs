use resilient::resilient;

#[resilient(retry(jitter = true))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(jitter = 0.5))]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(jitter = "random"))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(jitter = "Full"))]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(nested = "supress"))]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
