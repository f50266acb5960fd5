use resilient::resilient;

#[resilient(retry(max = 3).base("1s"), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
