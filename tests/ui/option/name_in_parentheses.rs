use resilient::resilient;

#[resilient(dependency("payment"), retry("payment"), breaker("payment"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
