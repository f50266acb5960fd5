use resilient::resilient;

#[resilient(retry(factor = 1e400))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// case D04
