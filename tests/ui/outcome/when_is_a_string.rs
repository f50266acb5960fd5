use resilient::resilient;

#[resilient(retry(when = "is_transient"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 46
