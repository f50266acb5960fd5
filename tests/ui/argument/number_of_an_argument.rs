use resilient::resilient;

struct Order {
    limit: u32,
}

#[resilient(retry(max = { limit }))]
async fn call0(limit: u32, order: Order) -> std::io::Result<u32> {
    Ok(limit + order.limit)
}

#[resilient(retry(max = order.limit))]
async fn call1(limit: u32, order: Order) -> std::io::Result<u32> {
    Ok(limit + order.limit)
}

fn main() {}
