use resilient::resilient;

const NOTHING: u32 = 0;

#[resilient(rate_limit(limiter = "api", cost = { NOTHING }))]
async fn call() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
