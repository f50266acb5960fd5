use resilient::resilient;

#[resilient(rate_limit(limiter = "api", cost = "5"))]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
