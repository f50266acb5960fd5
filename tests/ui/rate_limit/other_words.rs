use resilient::resilient;

#[resilient(rate_limit(name = "api", user = user, wait = "1s"))]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
