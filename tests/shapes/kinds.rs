//! Functions whose kind or place is unusual.

use resilient::{Rejection, resilient};

use super::fallible::{Attempts, Failure, sendable};

static ATTEMPTS: Attempts = Attempts::failing(2);

// shape 1
#[resilient(retry(max = 3, base = "0s"))]
async fn without_arguments() -> Result<u32, Failure> {
    ATTEMPTS.next().await
}

// shape 35
#[allow(improper_ctypes_definitions)]
#[resilient(retry(max = 3, base = "0s"))]
async extern "C" fn foreign(attempts: &Attempts, text: &str) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(text.len())
}

// shape 72
/// What is left of it is not `async`.
#[resilient(retry(max = 3, base = "0s"))]
#[tokio::main(flavor = "current_thread")]
async fn started(attempts: &Attempts, text: &str) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(text.len())
}

// shape 69
#[cfg(test)]
#[resilient(retry(max = 3, base = "0s"))]
#[cfg_attr(test, inline)]
async fn outer(attempts: &Attempts, inner_calls: &Attempts) -> Result<u32, Failure> {
    inner(inner_calls).await?;
    attempts.next().await
}

#[cfg(any())]
#[resilient(this is not read at all)]
async fn absent() -> Result<u32, Failure> {}

#[resilient(retry(max = 3, base = "0s"))]
async fn inner(calls: &Attempts) -> Result<u32, Failure> {
    calls.next().await
}

// shape 48
/// The caller says which error it wants.
#[resilient(retry(max = 3, base = "0s"))]
async fn generic_error<E>(attempts: &Attempts, text: &str) -> Result<u32, E>
where
    E: From<Rejection> + From<Failure> + From<std::num::ParseIntError> + resilient::Classify,
{
    attempts.next().await?;
    Ok(text.parse()?)
}

#[tokio::test]
async fn a_function_needs_no_arguments() {
    assert_eq!(sendable(without_arguments()).await, Ok(3));
    assert_eq!(ATTEMPTS.made(), 3);
}

#[tokio::test]
async fn the_calling_convention_stays() {
    let attempts = Attempts::failing(2);
    let call: extern "C" fn(_, _) -> _ = foreign;
    assert_eq!(sendable(call(&attempts, "four")).await, Ok(4));
    assert_eq!(attempts.made(), 3);
}

#[test]
fn a_runtime_may_be_started_around_it() {
    let attempts = Attempts::failing(2);
    assert_eq!(started(&attempts, "four"), Ok(4));
    assert_eq!(attempts.made(), 3);
}

#[tokio::test]
async fn one_may_call_another() {
    let (attempts, inner_calls) = (Attempts::failing(1), Attempts::failing(2));
    assert_eq!(sendable(outer(&attempts, &inner_calls)).await, Ok(2));
    assert_eq!((attempts.made(), inner_calls.made()), (2, 4));
}

#[tokio::test]
async fn the_error_may_be_a_type_parameter() {
    let attempts = Attempts::failing(2);
    let outcome = sendable(generic_error::<Failure>(&attempts, "7")).await;
    assert_eq!(outcome, Ok(7));
    assert_eq!(attempts.made(), 3);
}
