use resilient::resilient;

struct Order {
    id: Vec<u8>,
}

#[resilient(retry, idempotency_key = order.id)]
async fn call(order: &Order) -> std::io::Result<usize> {
    Ok(order.id.len())
}

fn main() {}
