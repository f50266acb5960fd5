use resilient::resilient;

#[resilient(rate_limit(limiter = "api", max_wait = 200))]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
