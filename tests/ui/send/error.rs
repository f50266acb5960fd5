use resilient::{Classify, Rejection, resilient};
use std::rc::Rc;

#[derive(Classify)]
#[transient]
struct Failure(Rc<str>);

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure(rejection.to_string().into())
    }
}

#[resilient(retry(max = 3))]
async fn call() -> Result<u32, Failure> {
    Ok(1)
}

fn sendable(_: impl Send) {}

fn main() {
    sendable(call());
}
// mistake 38; case N24
