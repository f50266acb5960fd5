use resilient::resilient;

#[resilient(timeout = order.timeout(), retry)]
async fn call(order: &str) -> std::io::Result<usize> {
    Ok(order.len())
}

fn main() {}
