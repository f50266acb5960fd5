use resilient::resilient;

#[resilient(retry(when = |error| true))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(when = !is_transient))]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry(when(is_transient)))]
async fn call2() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, classify = |outcome| resilient::Class::Success)]
async fn call3() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, reject = "refused")]
async fn call4() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, reject = std::io::Error::from(rejection))]
async fn call5() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
