//! `async unsafe fn` stays unsafe, and its body keeps its licence.

#![deny(warnings)]

use resilient::{resilient, Classify, Rejection};

#[derive(Debug, PartialEq, Classify)]
enum Failure {
    #[transient]
    Odd,
    #[classify(source)]
    Refused(Rejection),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure::Refused(rejection)
    }
}

// shape 34
/// # Safety
///
/// `number` must be valid for reads and writes.
#[resilient(retry(max = 3, base = "0s"))]
async unsafe fn next_even(number: *mut u32) -> Result<u32, Failure> {
    *number += 1;
    if *number % 2 == 1 {
        return Err(Failure::Odd);
    }
    Ok(*number)
}

#[tokio::test]
async fn an_unsafe_function_is_retried() {
    let mut number = 0;
    // SAFETY: a local variable, borrowed by nobody else.
    let even = unsafe { next_even(&mut number) }.await;
    assert_eq!(even, Ok(2));
}
