use resilient::resilient;

#[resilient(retry(max = '4', factor = "2"))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(max = true))]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(max = LIMIT))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(factor = f64::NAN))]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(factor = -2.0))]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(max = 3 attempts))]
async fn call5() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
