use resilient::resilient;

#[resilient(rate_limit)]
async fn call(user: &str) -> std::io::Result<usize> {
    Ok(user.len())
}

fn main() {}
