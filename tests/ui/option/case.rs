use resilient::resilient;

#[resilient(Retry(max = 3))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(r#retry)]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timout = "5s")]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
