//! The limit itself.

use super::config::{AdaptiveSettings, Algorithm};
use super::gradient::{self, Usual};
use super::samples::{Samples, Seen};
use super::vegas::NoLoad;
use super::{aimd, vegas};
use crate::seam::clock::Moment;

/// Windows are at least so many attempts long, or as many as the limit.
const ENOUGH: u64 = 10;

/// A limit and the open window of what is to move it.
#[derive(Debug)]
pub(super) struct Limit {
    settings: AdaptiveSettings,
    /// The limit before it is rounded down, within the bounds.
    estimate: f64,
    no_load: NoLoad,
    usual: Usual,
    window: Samples,
}

impl Limit {
    pub(super) fn new(settings: AdaptiveSettings, now: Moment) -> Self {
        Limit {
            settings,
            estimate: f64::from(settings.initial),
            no_load: NoLoad::new(now),
            usual: Usual::default(),
            window: Samples::default(),
        }
    }

    /// Other numbers; the limit stays, as far as it is within the new bounds.
    pub(super) fn reconfigure(&mut self, settings: AdaptiveSettings) {
        self.settings = settings;
        self.estimate = self.within_bounds(self.estimate);
    }

    pub(super) fn settings(&self) -> &AdaptiveSettings {
        &self.settings
    }

    /// The limit now, 1 or more.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within bounds that fit"
    )]
    pub(super) fn get(&self) -> u32 {
        self.estimate as u32
    }

    /// Adds to the open window.
    pub(super) fn gather(&mut self, samples: Samples) {
        self.window.add(samples);
    }

    /// Whether the open window has not seen anything yet.
    pub(super) fn is_empty(&self) -> bool {
        self.window.count() == 0
    }

    /// Ends the window and moves the limit; `false`, and nothing done, if it has seen too little.
    pub(super) fn end_window(&mut self, now: Moment) -> bool {
        if self.window.count() < ENOUGH.min(u64::from(self.get())) {
            return false;
        }
        let seen = std::mem::take(&mut self.window).seen();
        self.follow(&seen, now);
        true
    }

    /// Moves the limit by what was seen.
    pub(super) fn follow(&mut self, seen: &Seen, now: Moment) {
        let before = self.estimate;
        self.estimate = match self.settings.algorithm {
            Algorithm::Aimd { backoff } => self.within_bounds(aimd::next(before, backoff, seen)),
            Algorithm::Vegas { backoff, smoothing } => {
                let next = vegas::next(before, backoff, &mut self.no_load, seen, now);
                // Not as a weighted sum, whose rounding could move a limit that is to stay.
                before + (self.within_bounds(next) - before) * smoothing
            }
            Algorithm::Gradient {
                tolerance,
                queue,
                smoothing,
                backoff,
            } => {
                let numbers = gradient::Numbers {
                    tolerance,
                    queue,
                    smoothing,
                    backoff,
                };
                let next = gradient::next(before, numbers, &mut self.usual, seen);
                self.within_bounds(next)
            }
        };
    }

    fn within_bounds(&self, limit: f64) -> f64 {
        limit.clamp(f64::from(self.settings.min), f64::from(self.settings.max))
    }
}
