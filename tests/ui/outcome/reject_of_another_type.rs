use resilient::resilient;

fn refused(text: String) -> std::io::Error {
    std::io::Error::other(text)
}

#[resilient(retry, reject = refused)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
