use resilient::resilient;

#[resilient(retry)]
#[resilient(timeout = "1s")]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// shape 70; mistake 39
