use resilient::classify::chained;
use resilient::{Rejection, resilient};
use std::error::Error;

#[resilient(timeout = "5s", classify = chained)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry, idempotent, classify = chained, reject = boxed)]
async fn another() -> Result<u32, Box<dyn Error>> {
    Ok(1)
}

fn boxed(rejection: Rejection) -> Box<dyn Error> {
    rejection.into()
}

fn main() {}
