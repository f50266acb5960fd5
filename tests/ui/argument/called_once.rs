use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call<F: FnOnce() -> u32>(callback: F) -> std::io::Result<u32> {
    Ok(callback())
}

fn main() {}
// shape 60; mistake 31
