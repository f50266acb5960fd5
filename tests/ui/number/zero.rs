use resilient::resilient;

#[resilient(retry(max = 0))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 22; case F01
