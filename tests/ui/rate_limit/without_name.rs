use resilient::resilient;

#[resilient(timeout = "1s", rate_limit(key = user))]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
