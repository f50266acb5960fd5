use resilient::resilient;

#[resilient(rate_limit(limiter = "api", key = user))]
async fn call(user: Option<u32>) -> std::io::Result<u32> {
    Ok(user.unwrap_or(0))
}

fn main() {}
