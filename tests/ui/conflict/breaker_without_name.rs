use resilient::resilient;

#[resilient(breaker(per = "call"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
