//! With the attribute.

#![allow(
    clippy::absolute_paths,
    clippy::exhaustive_structs,
    clippy::implicit_return,
    clippy::missing_errors_doc,
    clippy::missing_inline_in_public_items,
    clippy::multiple_inherent_impl,
    clippy::question_mark_used,
    reason = "what is expected of the bare ones, and an impl block more than they have"
)]

use res::resilient;

use crate::failure::Failure;

/// Has a method.
pub struct Client;

impl Client {
    /// Returns early.
    #[resilient(retry(max = 3, base = "0s"), deadline = "5s", idempotent = false, crate = ::res)]
    pub async fn early(&self, answer: u32) -> Result<u32, Failure> {
        core::future::ready(()).await;
        if answer == 0 {
            return Err(Failure::Again);
        }
        Ok(answer)
    }
}

#[resilient(retry(max = 3, base = "0s"), idempotent, crate = ::res)]
impl Client {
    /// Says it by its block.
    #[resilient(deadline = "5s")]
    pub async fn block(&self, answer: u32) -> Result<u32, Failure> {
        core::future::ready(()).await;
        Ok(answer)
    }

    /// Says it under a condition.
    #[cfg_attr(debug_assertions, resilient)]
    pub async fn condition(&self, answer: u32) -> Result<u32, Failure> {
        core::future::ready(()).await;
        Ok(answer)
    }
}

/// Asks again.
#[resilient(retry(max = 3, base = "0s"), idempotent, crate = ::res)]
pub async fn plain(asked: &(dyn Fn(u32) -> Result<u32, Failure> + Sync)) -> Result<u32, Failure> {
    let answer = asked(1)?;
    core::future::ready(()).await;
    Ok(answer)
}

/// Owned, changing, lent and ignored arguments.
#[resilient(retry(max = 3, base = "0s"), timeout = "5s", idempotency_key = step, clone(body), crate = ::res)]
pub async fn arguments(
    asked: &(dyn Fn(u32) -> Result<u32, Failure> + Sync),
    body: String,
    mut step: u32,
    seen: &mut u32,
    _silent: u32,
) -> Result<(), Failure> {
    drop(body);
    step = step.saturating_add(*seen);
    *seen = asked(step)?;
    core::future::ready(()).await;
    Ok(())
}

/// Falls back, for so long.
#[resilient(deadline = "5s", fallback(call = instead(answer), timeout = "1s"), crate = ::res)]
pub async fn in_time(answer: u32) -> Result<u32, Failure> {
    core::future::ready(()).await;
    Ok(answer)
}

/// What it falls back on.
pub async fn instead(_failure: Failure, answer: &u32) -> Result<u32, Failure> {
    core::future::ready(()).await;
    Ok(*answer)
}

/// One attempt.
#[resilient(timeout = "5s", crate = ::res)]
pub async fn once(answer: u32) -> Result<u32, Failure> {
    core::future::ready(()).await;
    Ok(answer)
}
