//! Without the attribute.

#![expect(
    clippy::absolute_paths,
    clippy::exhaustive_structs,
    clippy::implicit_return,
    clippy::missing_errors_doc,
    clippy::missing_inline_in_public_items,
    clippy::question_mark_used,
    reason = "what these functions are like"
)]

use crate::failure::Failure;

/// Has a method.
pub struct Client;

impl Client {
    /// Returns early.
    pub async fn early(&self, answer: u32) -> Result<u32, Failure> {
        core::future::ready(()).await;
        if answer == 0 {
            return Err(Failure::Again);
        }
        Ok(answer)
    }
}

/// Asks again.
pub async fn plain(asked: &(dyn Fn(u32) -> Result<u32, Failure> + Sync)) -> Result<u32, Failure> {
    let answer = asked(1)?;
    core::future::ready(()).await;
    Ok(answer)
}

/// Owned, changing, lent and ignored arguments.
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

/// One attempt.
pub async fn once(answer: u32) -> Result<u32, Failure> {
    core::future::ready(()).await;
    Ok(answer)
}
