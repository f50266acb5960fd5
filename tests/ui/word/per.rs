use resilient::resilient;

#[resilient(breaker(name = "payment", per = "request"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
