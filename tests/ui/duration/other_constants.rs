use resilient::resilient;

#[resilient(timeout = { })]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = { "5s" })]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = concat!("5", "s"))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = { std::time::Duration::from_secs(5) } + 1)]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = None)]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
