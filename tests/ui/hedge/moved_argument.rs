use resilient::resilient;

#[resilient(hedge, idempotent)]
async fn call(body: String) -> std::io::Result<usize> {
    send(body).await
}

async fn send(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

fn main() {}
