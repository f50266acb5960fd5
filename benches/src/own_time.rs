//! The processor time of this thread: what others do on the machine meanwhile does not count.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A reading of the thread's clock.
pub(crate) struct OwnTime(Duration);

impl OwnTime {
    /// What the thread has used so far.
    pub(crate) fn now() -> Self {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        OwnTime(Duration::try_from(time).unwrap_or_default())
    }

    /// What it has used since.
    pub(crate) fn elapsed(&self) -> Duration {
        OwnTime::now().0.saturating_sub(self.0)
    }
}
