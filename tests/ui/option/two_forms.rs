use resilient::resilient;

#[resilient(retry = "payment", retry(max = 3))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(dependency = "payment", dependency = "stock")]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(breaker(name = "payment", name = "stock"))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
