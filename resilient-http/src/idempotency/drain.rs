//! Waiting for the runs that are at work, before a process ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// Counts the runs that are at work, and waits for them.
///
/// A run does not end with the connection of its client, so a server that has closed its
/// connections may still be at work. Cloning gives another handle to the same count.
///
/// ```
/// use resilient_http::idempotency::Drain;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let drain = Drain::new();
/// // IdempotencyLayer::builder(..).drain(&drain), then serve until SIGTERM; and at last:
/// if let Err(left) = drain.drain(Duration::from_secs(25)).await {
///     eprintln!("{left}");
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Drain {
    running: Arc<watch::Sender<usize>>,
}

/// Runs that were still at work when the time to wait for them was over. Their leases decide what
/// becomes of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{running} requests with idempotency keys were still at work after {waited:?}")]
pub struct StillRunning {
    /// How many.
    pub running: usize,
    /// How long they were waited for.
    pub waited: Duration,
}

impl Default for Drain {
    fn default() -> Self {
        Drain::new()
    }
}

impl Drain {
    /// A count of its own, at nothing.
    pub fn new() -> Self {
        Drain {
            running: Arc::new(watch::Sender::new(0)),
        }
    }

    /// How many runs are at work.
    pub fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Waits until no run is at work, `timeout` at most. To be called when no more requests are
    /// taken; runs that begin meanwhile are waited for, too.
    ///
    /// # Errors
    ///
    /// [`StillRunning`] says how many are left when the time is over.
    ///
    /// # Cancel safety
    ///
    /// It can be dropped and called again.
    pub async fn drain(&self, timeout: Duration) -> Result<(), StillRunning> {
        let mut running = self.running.subscribe();
        let idle = running.wait_for(|running| *running == 0);
        match tokio::time::timeout(timeout, idle).await {
            Ok(_) => Ok(()),
            Err(_) => Err(StillRunning {
                running: self.running(),
                waited: timeout,
            }),
        }
    }

    /// Counts a run until what this returns is dropped.
    pub(super) fn enter(&self) -> AtWork {
        self.running.send_modify(|running| *running += 1);
        AtWork(self.clone())
    }
}

/// A run that is counted.
#[derive(Debug)]
pub(super) struct AtWork(Drain);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.running.send_modify(|running| *running -= 1);
    }
}
