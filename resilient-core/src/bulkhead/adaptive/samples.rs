//! What attempts have shown in a window.

use std::time::Duration;

use crate::seam::clock::nanos;

/// Counts and sums of a window that is still open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    answered: u64,
    /// Of all that were answered, in nanoseconds.
    latencies: u64,
    dropped: u64,
    /// The most attempts that were seen at a time.
    pub(super) inflight: u64,
}

impl Samples {
    pub(super) fn answered(&mut self, latency: Duration) {
        self.answered += 1;
        self.latencies = self.latencies.saturating_add(nanos(latency));
    }

    pub(super) fn dropped(&mut self) {
        self.dropped += 1;
    }

    pub(super) fn add(&mut self, more: Samples) {
        self.answered += more.answered;
        self.latencies = self.latencies.saturating_add(more.latencies);
        self.dropped += more.dropped;
        self.inflight = self.inflight.max(more.inflight);
    }

    pub(super) fn count(&self) -> u64 {
        self.answered + self.dropped
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "neither a mean latency nor a number of attempts needs more digits"
    )]
    pub(super) fn seen(&self) -> Seen {
        Seen {
            latency: (self.answered > 0).then(|| self.latencies as f64 / self.answered as f64),
            inflight: self.inflight as f64,
            dropped: self.dropped > 0,
        }
    }
}

/// What a window has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The mean of the attempts that were answered, in nanoseconds; `None` without any.
    pub(super) latency: Option<f64>,
    /// The most attempts that were seen at a time.
    pub(super) inflight: f64,
    /// Whether any was dropped.
    pub(super) dropped: bool,
}

impl Seen {
    /// Whether so much of the limit was used that it is the limit that held more back.
    pub(super) fn uses_half_of(&self, limit: f64) -> bool {
        self.inflight * 2.0 >= limit
    }
}
