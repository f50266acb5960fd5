use resilient::{Rejection, resilient};

struct Failure;

impl From<Rejection> for Failure {
    fn from(_: Rejection) -> Self {
        Failure
    }
}

#[resilient(hedge, idempotent)]
async fn call() -> Result<u32, Failure> {
    Ok(1)
}

fn main() {}
