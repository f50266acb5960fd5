use resilient::resilient;

#[resilient(retry(max = -1))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 24; case F01
