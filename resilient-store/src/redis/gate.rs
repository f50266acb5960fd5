//! Leaving a server alone that is in trouble.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a server is left alone after it did not answer in time.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Open until a call fails; then closed for a [`PAUSE`], after which one call at a time tries again.
///
/// There is nothing to be gained from waiting for several failures, as a breaker does: whoever asks can
/// do without the answer.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// When the next call may try, in nanoseconds; 0 while it is open.
    next: AtomicU64,
}

impl Gate {
    /// Whether a call may go on. `now` counts from any moment that stays the same.
    pub(super) fn admits(&self, now: Duration) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return true;
        }
        let after = end_of_pause(now);
        next <= nanos(now)
            && self
                .next
                .compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// The server did not answer in time. Answers whether it was open until now.
    pub(super) fn close(&self, now: Duration) -> bool {
        self.next.swap(end_of_pause(now), Ordering::Relaxed) == 0
    }

    /// The server answered.
    pub(super) fn open(&self) {
        if self.next.load(Ordering::Relaxed) != 0 {
            self.next.store(0, Ordering::Relaxed);
        }
    }
}

fn end_of_pause(now: Duration) -> u64 {
    nanos(now.saturating_add(PAUSE))
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i40_after_a_failure_one_call_per_pause_tries() {
        let gate = Gate::default();
        let start = Duration::from_secs(100);
        assert!(gate.admits(start) && gate.admits(start));
        assert!(gate.close(start), "it was open");
        assert!(!gate.close(start), "told once");

        let last = start + PAUSE.saturating_sub(Duration::from_nanos(1));
        assert!(!gate.admits(last));
        assert!(gate.admits(start + PAUSE));
        assert!(!gate.admits(start + PAUSE), "one tries, the others do not");
        assert!(gate.admits(start + PAUSE * 2), "the one never came back");

        gate.open();
        assert!(gate.admits(start) && gate.admits(start));
    }
}
