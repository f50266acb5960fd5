use resilient::resilient;

#[resilient(timeout = "1s", budget = "payment")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 42
