//! A limit that goes by what is dropped.

use super::samples::Seen;

/// The limit after `limit`: the formula of [`Adaptive::aimd`](super::Adaptive::aimd), before it is
/// kept within bounds.
pub(super) fn next(limit: f64, backoff: f64, seen: &Seen) -> f64 {
    let limit = limit.trunc();
    if seen.dropped {
        (limit * backoff).floor().min(limit - 1.0)
    } else if seen.uses_half_of(limit) {
        limit + 1.0
    } else {
        limit
    }
}
