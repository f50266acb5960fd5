//! What a decision says some time later.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::rate_limit::{Decision, LimitSettings, Reading};

/// The same decision for a request of `cost`, as it reads after `time`. When it was made stays what it
/// is: that is what refunds go by.
pub(super) fn later(
    decision: &Decision,
    limits: &Arc<[LimitSettings]>,
    cost: u32,
    time: Duration,
) -> Decision {
    let readings = decision.limits().map(|limit| Reading {
        remaining: limit.remaining,
        reset_after: limit.reset_after.saturating_sub(time),
        retry_after: limit.retry_after.saturating_sub(time),
        refundable_until: 0,
    });
    let readings = readings.collect();
    Decision::new(
        limits.clone(),
        readings,
        decision.is_allowed(),
        cost,
        decision.decided_at(),
    )
}
