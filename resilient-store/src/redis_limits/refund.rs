//! What is known of a charge that is given back.

use resilient_core::rate_limit::{Decision, LimitSettings};

/// In a microsecond.
const NANOS: u128 = 1_000;

/// When a limit would be as good as new, had nothing been taken since the decision; nothing, if the
/// decision was not about this limit.
pub(super) fn full_at(decision: &Decision, limit: &LimitSettings) -> Option<u64> {
    let state = decision.limits().find(|state| *state.name == limit.name)?;
    let reset = state.reset_after.as_nanos().div_ceil(NANOS);
    let reset = u64::try_from(reset).unwrap_or(u64::MAX);
    Some(decision.decided_at().saturating_add(reset))
}
