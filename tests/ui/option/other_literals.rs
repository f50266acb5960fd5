use resilient::resilient;

#[resilient(bulkhead = 10)]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(breaker = true)]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry = true)]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, idempotent = "yes")]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, name = call)]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(dependency = ["payment", "stock"])]
async fn call5() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
