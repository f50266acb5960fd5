use resilient::resilient;

const TIMEOUT: u64 = 5;

#[resilient(timeout = { TIMEOUT })]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
