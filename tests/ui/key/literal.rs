use resilient::resilient;

#[resilient(retry, idempotency_key = "order")]
async fn call(order: &str) -> std::io::Result<usize> {
    Ok(order.len())
}

fn main() {}
