//! A breaker over a count window that halves itself, without a clock while closed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::failure::{Failure, Outcome};

/// Attempts in the window before it is halved.
const WINDOW: u64 = 1000;
/// The number of a failure in the word of the window.
const FAILURE: u64 = 1 << 32;

/// Opens for an hour when 90 % of the last 1000 or so attempts failed.
pub(crate) struct Breaker {
    epoch: Instant,
    /// Nanoseconds after the epoch; 0 while closed.
    open_until: AtomicU64,
    /// `failures << 32 | attempts`.
    window: AtomicU64,
}

impl Breaker {
    /// A closed breaker.
    pub(crate) fn closed() -> Self {
        Breaker {
            epoch: Instant::now(),
            open_until: AtomicU64::new(0),
            window: AtomicU64::new(0),
        }
    }

    /// A breaker that has just opened.
    pub(crate) fn open() -> Self {
        let breaker = Breaker::closed();
        breaker.trip();
        breaker
    }

    /// Lets the attempt through, or says when to try again.
    #[inline]
    pub(crate) fn admit(&self) -> Result<(), Failure> {
        let until = self.open_until.load(Ordering::Acquire);
        if until == 0 {
            return Ok(());
        }
        let left = Duration::from_nanos(until).saturating_sub(self.epoch.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        Err(Failure::Open { retry_in: left })
    }

    /// Counts the outcome of an attempt.
    #[inline]
    pub(crate) fn record(&self, outcome: &Outcome) {
        let counted = if outcome.is_ok() { 1 } else { FAILURE + 1 };
        let window = self.window.fetch_add(counted, Ordering::AcqRel) + counted;
        let (failures, attempts) = (window / FAILURE, window % FAILURE);
        if attempts >= WINDOW {
            self.halve(failures, attempts);
        }
    }

    #[cold]
    fn halve(&self, failures: u64, attempts: u64) {
        if failures * 10 >= attempts * 9 {
            self.trip();
        }
        self.window
            .store(failures / 2 * FAILURE + attempts / 2, Ordering::Release);
    }

    fn trip(&self) {
        let until = self.epoch.elapsed() + Duration::from_secs(3600);
        let nanos = u64::try_from(until.as_nanos()).unwrap_or(u64::MAX);
        self.open_until.store(nanos, Ordering::Release);
    }
}
