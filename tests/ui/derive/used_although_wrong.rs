use resilient::Classify;

use resilient::{Rejection, resilient};

#[derive(Classify)]
enum Failure {
    Network,
    #[classify(source)]
    Refused(Rejection),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure::Refused(rejection)
    }
}

#[resilient(retry(max = 3))]
async fn call() -> Result<u32, Failure> {
    Err(Failure::Network)
}

fn main() {}
