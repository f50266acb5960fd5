use resilient::resilient;

#[resilient(deadline = "")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 19
