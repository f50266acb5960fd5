use resilient::resilient;

#[resilient(retry(when = Error::is_transient()))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
