use resilient::resilient;

#[resilient(name = "call")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
