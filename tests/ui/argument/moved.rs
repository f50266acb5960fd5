use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(body: String) -> std::io::Result<u32> {
    send(body).await
}

async fn send(body: String) -> std::io::Result<u32> {
    Ok(body.len() as u32)
}

fn main() {}
// shape 11; mistake 31; case N20
