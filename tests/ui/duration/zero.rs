use resilient::resilient;

#[resilient(timeout = "0s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 16; case G08
