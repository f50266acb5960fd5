use resilient::{Rejection, resilient};

struct Failure;

impl From<Rejection> for Failure {
    fn from(_: Rejection) -> Self {
        Failure
    }
}

async fn cached(_error: Failure) -> Result<u32, Failure> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback = cached)]
async fn call() -> Result<u32, Failure> {
    Ok(1)
}

fn main() {}
