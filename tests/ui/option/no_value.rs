use resilient::resilient;

#[resilient(timeout)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
