//! Which share of the attempts is shed.

use std::time::Duration;

use super::config::ThrottleSettings;
use crate::seam::clock::Moment;
use crate::window::Buckets;

/// What was asked of a dependency in the window, and what it accepted.
#[derive(Debug)]
pub(super) struct Engine {
    settings: ThrottleSettings,
    /// Accepted attempts are the good ones; those that failed or were shed the bad ones.
    window: Buckets,
    folded: Moment,
}

impl Engine {
    /// Nothing asked yet, as of `now`.
    pub(super) fn new(settings: ThrottleSettings, now: Moment) -> Self {
        Engine {
            settings,
            window: Buckets::new(settings.window),
            folded: now,
        }
    }

    /// Other numbers, the same counts.
    pub(super) fn reconfigure(&mut self, settings: ThrottleSettings) {
        if settings.window != self.settings.window {
            self.window = self.window.with_window(settings.window);
        }
        self.settings = settings;
    }

    /// How long undated answers may wait to be counted in without blurring the picture.
    pub(super) fn patience(&self) -> Duration {
        self.window.width()
    }

    /// Counts attempts that were accepted some time since it was last called.
    pub(super) fn fold(&mut self, now: Moment, accepted: u64) {
        if accepted > 0 {
            self.window.spread(self.folded, now, accepted);
        }
        self.folded = self.folded.max(now);
    }

    /// Counts one attempt that was asked for and not accepted: it failed, or was shed.
    pub(super) fn missed(&mut self, now: Moment) {
        self.window.record(now, 0, 1);
    }

    /// The probability with which the next attempt is shed.
    pub(super) fn share(&mut self, now: Moment) -> f64 {
        let (accepts, missed) = self.window.totals(now);
        share(accepts.saturating_add(missed), accepts, &self.settings)
    }
}

/// The formula of [`Throttle::accepts`](super::Throttle::accepts).
#[allow(
    clippy::cast_precision_loss,
    reason = "a share needs no more digits than a float has"
)]
pub(super) fn share(requests: u64, accepts: u64, settings: &ThrottleSettings) -> f64 {
    let (requests, accepts) = (requests as f64, accepts as f64);
    let share = (requests - settings.multiplier * accepts) / (requests + 1.0);
    share.clamp(0.0, settings.max_rejection)
}
