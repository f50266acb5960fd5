use resilient::resilient;

#[resilient(breaker(name = "orders", key = tenant))]
async fn call(tenant: Option<u32>) -> std::io::Result<u32> {
    Ok(tenant.unwrap_or(0))
}

fn main() {}
