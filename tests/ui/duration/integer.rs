use resilient::resilient;

#[resilient(timeout = 5)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 20
