use resilient::{Rejection, resilient};
use std::collections::HashMap;

fn is_transient(error: &std::io::Error) -> bool {
    error.raw_os_error().is_none()
}

fn refused(rejection: Rejection) -> std::io::Error {
    rejection.into()
}

#[resilient(retry(when = is_transient), reject = refused)]
async fn call() -> HashMap<u32, String> {
    HashMap::new()
}

fn main() {}
