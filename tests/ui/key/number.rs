use resilient::resilient;

#[resilient(retry, idempotency_key = 4711)]
async fn call(order: &str) -> std::io::Result<usize> {
    Ok(order.len())
}

fn main() {}
