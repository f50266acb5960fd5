//! Rule A1 in plain numbers: the formulas as they are documented, on a list of what was seen.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{AdaptiveSettings, Algorithm, Meter};
use crate::reference::play_all;
use crate::seam::clock;

#[derive(Clone, Debug)]
struct Attempt {
    /// Milliseconds that pass before it ends.
    wait: u64,
    /// How long it took; `None` if it was dropped.
    latency: Option<Duration>,
    /// How much of the limit is in use then.
    used: f64,
}

/// What an open window has seen.
#[derive(Default)]
struct Window {
    opened: Option<u64>,
    attempts: Vec<(Option<Duration>, u64)>,
}

struct Model {
    settings: AdaptiveSettings,
    limit: f64,
    window: Window,
    /// Mean latencies of windows, and in which stretch of ten minutes or more they ended.
    latencies: Vec<(u64, f64)>,
    stretch: u64,
    stretch_began: u64,
    /// The average latency of a longer time, and of how many windows it is.
    usual: (f64, u32),
}

impl Model {
    /// The limit after a window, if one ends here.
    fn end_window(&mut self, now: u64) -> Option<u32> {
        let length = u64::try_from(self.settings.window.as_millis()).expect("short");
        let opened = self.window.opened?;
        let enough = self.rounded().min(10) as usize;
        if now - opened < length || self.window.attempts.len() < enough {
            return None;
        }
        let window = std::mem::take(&mut self.window);
        let (min, max) = (f64::from(self.settings.min), f64::from(self.settings.max));
        let next = match self.settings.algorithm {
            Algorithm::Aimd { backoff } => self.aimd(&window, backoff).clamp(min, max),
            Algorithm::Vegas { backoff, smoothing } => {
                let next = self.vegas(&window, backoff, now).clamp(min, max);
                self.limit + (next - self.limit) * smoothing
            }
            Algorithm::Gradient {
                tolerance,
                queue,
                smoothing,
                backoff,
            } => {
                let queue = queue.map_or(self.limit.sqrt(), f64::from);
                let target = self.gradient(&window, tolerance, queue);
                let next = match target {
                    Some(target) => self.limit + (target - self.limit) * smoothing,
                    None if window.attempts.iter().any(|(time, _)| time.is_none()) => {
                        self.limit * backoff
                    }
                    None => self.limit,
                };
                next.clamp(min, max)
            }
        };
        self.limit = next;
        Some(self.rounded())
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn rounded(&self) -> u32 {
        self.limit.floor() as u32
    }

    #[allow(clippy::cast_precision_loss)]
    fn half_is_used(&self, window: &Window) -> bool {
        let most = window.attempts.iter().map(|(_, inflight)| *inflight).max();
        most.unwrap_or(0) as f64 * 2.0 >= f64::from(self.rounded())
    }

    fn aimd(&self, window: &Window, backoff: f64) -> f64 {
        let limit = f64::from(self.rounded());
        if window.attempts.iter().any(|(latency, _)| latency.is_none()) {
            (limit - 1.0).min(limit * backoff).floor()
        } else if self.half_is_used(window) {
            limit + 1.0
        } else {
            limit
        }
    }

    #[allow(clippy::cast_precision_loss)]
    #[allow(clippy::match_same_arms, reason = "for different reasons")]
    fn vegas(&mut self, window: &Window, backoff: Option<f64>, now: u64) -> f64 {
        let limit = self.limit;
        let step = limit.log10().floor().max(1.0);
        let lower = backoff.map_or(limit - step, |factor| limit * factor);
        let answered: Vec<_> = window
            .attempts
            .iter()
            .filter_map(|(time, _)| *time)
            .collect();
        let mut queue = None;
        if !answered.is_empty() {
            let all: u128 = answered.iter().map(Duration::as_nanos).sum();
            let latency = all as f64 / answered.len() as f64;
            queue = self.least(now).filter(|least| *least <= latency);
            queue = queue.map(|least| (limit * (1.0 - least / latency)).ceil());
            self.latencies.push((self.stretch, latency));
        }
        if window.attempts.iter().any(|(latency, _)| latency.is_none()) {
            return lower;
        }
        // `None`: faster than ever, which is what later windows are compared with.
        match queue.filter(|_| self.half_is_used(window)) {
            Some(queue) if queue <= step => limit + 6.0 * step,
            Some(queue) if queue < 3.0 * step => limit + step,
            Some(queue) if queue > 6.0 * step => lower,
            _ => limit,
        }
    }

    /// Where the limit is drawn to; `None` if a drop or too little use decides.
    #[allow(clippy::cast_precision_loss)]
    fn gradient(&mut self, window: &Window, tolerance: f64, queue: f64) -> Option<f64> {
        let answered: Vec<_> = window
            .attempts
            .iter()
            .filter_map(|(time, _)| *time)
            .collect();
        if answered.is_empty() {
            return None;
        }
        let all: u128 = answered.iter().map(Duration::as_nanos).sum();
        let latency = all as f64 / answered.len() as f64;
        let (mean, windows) = self.usual;
        // The mean of the first ten windows; after them each new one is 2/601 of it.
        let share = if windows < 10 {
            1.0 / f64::from(windows + 1)
        } else {
            2.0 / 601.0
        };
        let mean = mean + (latency - mean) * share;
        // An average of much worse times is forgotten faster.
        let kept = if mean > 2.0 * latency {
            mean * 0.95
        } else {
            mean
        };
        self.usual = (kept, (windows + 1).min(10));
        if answered.len() < window.attempts.len() || !self.half_is_used(window) {
            return None;
        }
        let gradient = (mean * tolerance / latency).clamp(0.5, 1.0);
        Some(self.limit * gradient + queue)
    }

    /// The least latency of the last 10 to 20 minutes before this window.
    fn least(&mut self, now: u64) -> Option<f64> {
        const TEN_MINUTES: u64 = 600_000;
        let age = now - self.stretch_began;
        if age >= TEN_MINUTES {
            self.stretch += if age < 2 * TEN_MINUTES { 1 } else { 2 };
            self.stretch_began = now;
        }
        let oldest = self.stretch.saturating_sub(1);
        let recent = self.latencies.iter().filter(|(at, _)| *at >= oldest);
        recent.map(|(_, latency)| *latency).reduce(f64::min)
    }
}

fn settings() -> impl Strategy<Value = AdaptiveSettings> {
    let backoff = 0.05..0.99_f64;
    let algorithm = prop_oneof![
        backoff
            .clone()
            .prop_map(|backoff| Algorithm::Aimd { backoff }),
        (
            prop::option::of(backoff),
            prop_oneof![Just(1.0), Just(0.5), 0.01..1.0_f64]
        )
            .prop_map(|(backoff, smoothing)| Algorithm::Vegas { backoff, smoothing }),
        (
            1.0..3.0_f64,
            prop::option::of(0..20_u32),
            0.01..=1.0_f64,
            0.05..0.99_f64
        )
            .prop_map(
                |(tolerance, queue, smoothing, backoff)| Algorithm::Gradient {
                    tolerance,
                    queue,
                    smoothing,
                    backoff,
                }
            ),
    ];
    let most = prop_oneof![0..40_u32, 0..5_000_u32];
    (1..20_u32, most, 0.0..=1.0_f64, 1..500_u64, algorithm).prop_map(
        |(min, more, initial, window, algorithm)| {
            let max = min + more;
            let initial = min + rounded(f64::from(more) * initial);
            AdaptiveSettings {
                min,
                max,
                initial,
                window: Duration::from_millis(window),
                algorithm,
            }
        },
    )
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(number: f64) -> u32 {
    number as u32
}

fn attempt() -> impl Strategy<Value = Attempt> {
    let wait = prop_oneof![20 => 0..60_u64, 4 => 0..600_u64, 1 => 0..1_500_000_u64];
    let latency = prop_oneof![
        30 => (1..50_u64).prop_map(|millis| Some(Duration::from_millis(millis))),
        20 => (9..12_u64).prop_map(|millis| Some(Duration::from_millis(millis))),
        1 => Just(None),
    ];
    (wait, latency, 0.0..=1.0_f64).prop_map(|(wait, latency, used)| Attempt {
        wait,
        latency,
        used,
    })
}

#[test]
fn a1_the_limit_moves_as_the_formulas_say() {
    let scripts = (settings(), vec(attempt(), 1..400));
    // Whose clock stands still.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let _inside = runtime.enter();
    let start = clock::now();
    play_all(scripts, |(settings, script)| {
        let mut now = 0;
        let meter = Meter::with_shards(Some(settings), 1);
        let mut model = Model {
            limit: f64::from(settings.initial),
            settings,
            window: Window::default(),
            latencies: Vec::new(),
            stretch: 0,
            stretch_began: now,
            usual: (0.0, 0),
        };
        for attempt in script {
            now += attempt.wait;
            let moved = meter.end_window(start.plus(Duration::from_millis(now)));
            prop_assert_eq!(moved.map(|(limit, _)| limit), model.end_window(now));
            let limit = u64::from(model.rounded());
            let inflight = u64::from(rounded(f64::from(model.rounded()) * attempt.used));
            meter.take(attempt.latency, limit, || inflight);
            model.window.opened.get_or_insert(now);
            model.window.attempts.push((attempt.latency, inflight));
            let bounds = u64::from(settings.min)..=u64::from(settings.max);
            prop_assert!(bounds.contains(&limit));
        }
        Ok(())
    });
}
