use resilient::resilient;

#[resilient(retry, clone(&body))]
async fn call0(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

#[resilient(retry, clone(body.text))]
async fn call1(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

#[resilient(retry, clone("body"))]
async fn call2(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

#[resilient(retry, clone(body to))]
async fn call3(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

#[resilient(retry, clone = body)]
async fn call4(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

#[resilient(retry, clone)]
async fn call5(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

fn main() {}
