//! All that an expansion may count on is the path it was given.

// shape 65, 68; case N17, N19
#![no_std]
#![no_implicit_prelude]
#![deny(warnings)]

use ::core::convert::From;
use ::core::marker::Sync;
use ::core::ops::Fn;
use ::core::result::Result::{self, Err, Ok};
use ::core::{clone::Clone, primitive::u32};
use ::facade::resilience::{Classify, Rejection, resilient};

/// What the dependency of a test says.
#[derive(Classify)]
#[classify(crate = ::facade::resilience)]
pub enum Failure {
    /// May pass.
    #[transient]
    Again,
    /// Was refused on the spot.
    #[classify(source)]
    Refused(Rejection),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure::Refused(rejection)
    }
}

/// With every policy that needs no dependency.
#[resilient(
    retry(max = 3, base = "0s", cap = "1s", factor = 2.0, jitter = "full", nested = "suppress"),
    timeout = "5s",
    deadline = "1m",
    idempotency_key = *order,
    clone(body),
    crate = ::facade::resilience
)]
pub async fn retried<B: Clone + Sync>(
    asked: impl Fn(B, u32) -> Result<u32, Failure> + Sync,
    body: B,
    mut step: u32,
    order: &u32,
) -> Result<u32, Failure> {
    step += *order;
    match asked(body, step) {
        Ok(answer) => Ok(answer),
        Err(failure) => Err(failure),
    }
}

/// With one attempt.
#[resilient(timeout = "5s", crate = ::facade::resilience)]
pub async fn once(answer: u32) -> Result<u32, Failure> {
    Ok(answer)
}

/// With a fallback that has a time of its own.
#[resilient(
    timeout = "5s",
    fallback(call = instead(answer), timeout = "1s"),
    crate = ::facade::resilience
)]
pub async fn in_time(answer: u32) -> Result<u32, Failure> {
    Ok(answer)
}

async fn instead(_failure: Failure, answer: &u32) -> Result<u32, Failure> {
    ::core::future::ready(()).await;
    Ok(*answer)
}

/// In an impl, and in a trait.
pub struct Client<'a>(pub &'a (dyn Fn(u32) -> Result<u32, Failure> + Sync));

impl Client<'_> {
    /// Changes what it is given.
    #[resilient(retry(max = 3, base = "0s"), crate = ::facade::resilience)]
    pub async fn ask(&mut self, seen: &mut u32) -> Result<u32, Failure> {
        *seen += 1;
        (self.0)(*seen)
    }
}

#[resilient(retry(max = 3, base = "0s"), idempotent, crate = ::facade::resilience)]
impl Client<'_> {
    /// With the options of its block.
    #[resilient]
    pub async fn look(&self, number: u32) -> Result<u32, Failure> {
        (self.0)(number)
    }

    /// With them under a condition.
    #[cfg_attr(debug_assertions, resilient)]
    pub async fn glance(&self, number: u32) -> Result<u32, Failure> {
        (self.0)(number)
    }
}

::facade::ask! {
    /// Written by a macro of another crate.
    written(asked: &(dyn Fn() -> Result<u32, Failure> + Sync)) -> Result<u32, Failure> {
        asked()
    }
}
