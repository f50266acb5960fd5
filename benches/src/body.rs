//! What every lane does inside: nothing, so that only the policies around it cost.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use crate::failure::{Failure, Outcome};

/// How many more attempts of a call fail.
pub type Failures = Cell<u32>;

/// Ready at the first poll.
pub async fn ready(number: u64) -> Outcome {
    Ok(black_box(number))
}

/// Pending once, then ready.
pub async fn pending(number: u64) -> Outcome {
    tokio::task::yield_now().await;
    Ok(black_box(number))
}

/// Waits a millisecond, as a dependency that is not far away would.
pub async fn sleeping(number: u64) -> Outcome {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(black_box(number))
}

/// Fails as often as `failures` says, ready each time.
#[expect(clippy::unused_async, reason = "it is ready at once, on purpose")]
pub async fn flaky(failures: &Failures, number: u64) -> Outcome {
    match failures.get().checked_sub(1) {
        Some(left) => {
            failures.set(left);
            Err(Failure::Down)
        }
        None => Ok(black_box(number)),
    }
}
