use resilient::resilient;

#[resilient(rate_limit(limiter = "api", cost = { size }))]
async fn call(size: u32) -> std::io::Result<u32> {
    Ok(size)
}

fn main() {}
