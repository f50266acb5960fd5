use resilient::resilient;

#[resilient(breaker(name = "payment", max = 3))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 48
