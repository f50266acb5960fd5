use resilient::resilient;

#[resilient(retry(when = a), classify = b)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
