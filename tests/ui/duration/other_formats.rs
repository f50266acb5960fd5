use resilient::resilient;

#[resilient(timeout = "PT5S")]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "00:05")]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "5 min.")]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "5S")]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "5m 3")]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1 minute and 5 seconds")]
async fn call5() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
