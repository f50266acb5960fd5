use resilient::{Rejection, resilient};

fn refused(rejection: Rejection) -> String {
    rejection.to_string()
}

#[resilient(retry, reject = refused)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
