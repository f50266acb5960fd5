use resilient::resilient;

#[resilient(,)]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry,, timeout = "5s")]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(5, retry)]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(max = 3); timeout = "5s")]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry{max = 4})]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(max = 3)(factor = 2.0))]
async fn call5() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry = retry(max = 3))]
async fn call6() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
