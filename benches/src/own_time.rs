//! The processor time of this program: what others do on the machine meanwhile does not count.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A reading of the clock of a thread, or of all threads.
pub(crate) struct OwnTime {
    clock: ClockId,
    read: Duration,
}

impl OwnTime {
    /// What this thread has used so far.
    pub(crate) fn of_thread() -> Self {
        OwnTime::of(ClockId::ThreadCPUTime)
    }

    /// What all threads have used so far.
    pub(crate) fn of_process() -> Self {
        OwnTime::of(ClockId::ProcessCPUTime)
    }

    fn of(clock: ClockId) -> Self {
        let read = Duration::try_from(clock_gettime(clock)).unwrap_or_default();
        OwnTime { clock, read }
    }

    /// What has been used since.
    pub(crate) fn elapsed(&self) -> Duration {
        OwnTime::of(self.clock).read.saturating_sub(self.read)
    }
}
