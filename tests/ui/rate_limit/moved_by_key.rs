use resilient::resilient;

#[resilient(rate_limit(limiter = "api", key = { let taken = user; taken }))]
async fn call(user: String) -> std::io::Result<String> {
    Ok(user)
}

fn main() {}
