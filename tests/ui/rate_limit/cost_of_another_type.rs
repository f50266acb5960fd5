use resilient::resilient;

#[resilient(rate_limit(limiter = "api", cost = user.len()))]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
