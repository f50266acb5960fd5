use resilient::resilient;

#[resilient(timeout = "99999999999999999999h")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 18
