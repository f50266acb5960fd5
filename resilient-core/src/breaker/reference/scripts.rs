//! Random numbers for a breaker, and random things that happen to it.

use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::breaker::{
    Breaker, BreakerSettings, ConsecutiveRule, Growth, Mode, RateRule, SlowRule, Verdict, Window,
};

#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) settings: BreakerSettings,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Milliseconds that pass before.
    pub(super) wait: u64,
    /// Milliseconds by which the clock reading is older.
    pub(super) late: u64,
    /// Where the dice fall.
    pub(super) unit: f64,
    pub(super) does: Does,
}

#[derive(Clone, Debug)]
pub(super) enum Does {
    Call(Verdict),
    Start(Option<Duration>),
    End(usize, Verdict),
    Renew(usize, Option<Duration>),
    /// Successes whose time nobody took down.
    Tally(u64),
    Look,
    Force(Kind, Option<Duration>),
    Lift,
    Reset,
    Reconfigure(Box<BreakerSettings>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Open,
    Closed,
    Disabled,
    Observing,
}

pub(super) fn scripts(windows: BoxedStrategy<Window>) -> impl Strategy<Value = Script> {
    (settings(windows.clone()), vec(step(windows), 1..80))
        .prop_map(|(settings, steps)| Script { settings, steps })
}

pub(super) fn windows_of_attempts() -> BoxedStrategy<Window> {
    (1..9_u32).prop_map(Window::Count).boxed()
}

pub(super) fn windows_of_any_kind() -> BoxedStrategy<Window> {
    let time = (1..20_u64).prop_map(|tens| Window::Time(Duration::from_millis(tens * 50)));
    prop_oneof![time, windows_of_attempts()].boxed()
}

/// All times are tens of milliseconds, and no run looks back for more than 64 of them: beyond that
/// a run knows only roughly when it began.
const fn tens(number: u64) -> Duration {
    Duration::from_millis(number * 10)
}

fn step(windows: BoxedStrategy<Window>) -> impl Strategy<Value = Step> {
    let wait = prop_oneof![3 => Just(0), 6 => 1..12_u64, 1 => 12..150_u64];
    let late = prop_oneof![9 => Just(0), 1 => 0..5_u64];
    let unit = prop_oneof![Just(0.5), 0.0..1.0];
    (wait, late, unit, does(windows)).prop_map(|(wait, late, unit, does)| Step {
        wait: wait * 10,
        late: late * 10,
        unit,
        does,
    })
}

fn does(windows: BoxedStrategy<Window>) -> impl Strategy<Value = Does> {
    let timeout = || option::of((0..20_u64).prop_map(tens));
    prop_oneof![
        30 => verdict().prop_map(Does::Call),
        12 => timeout().prop_map(Does::Start),
        12 => (0..4_usize, verdict()).prop_map(|(which, verdict)| Does::End(which, verdict)),
        3 => (0..4_usize, timeout()).prop_map(|(which, timeout)| Does::Renew(which, timeout)),
        6 => (0..9_u64).prop_map(Does::Tally),
        4 => Just(Does::Look),
        4 => (kind(), option::of((0..50_u64).prop_map(tens)))
            .prop_map(|(kind, lasts)| Does::Force(kind, lasts)),
        3 => Just(Does::Lift),
        1 => Just(Does::Reset),
        3 => settings(windows).prop_map(|settings| Does::Reconfigure(Box::new(settings))),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        5 => Just(Verdict::Success),
        6 => Just(Verdict::Failure),
        2 => Just(Verdict::SlowSuccess),
        2 => Just(Verdict::SlowFailure),
        1 => Just(Verdict::Neutral),
        1 => Just(Verdict::Panicked),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        1 => Just(Kind::Open),
        1 => Just(Kind::Closed),
        1 => Just(Kind::Disabled),
        3 => Just(Kind::Observing),
    ]
}

fn settings(windows: BoxedStrategy<Window>) -> impl Strategy<Value = BreakerSettings> {
    let mode = prop_oneof![
        8 => Just(Mode::Enabled),
        2 => Just(Mode::Observing),
        1 => Just(Mode::Disabled),
    ];
    let rate = move || {
        let threshold = prop_oneof![Just(0.3), Just(0.5), Just(2.0 / 3.0), Just(1.0)];
        (threshold, 1..7_u32, windows.clone()).prop_map(|(threshold, min_attempts, window)| {
            let min_attempts = match window {
                Window::Count(count) => min_attempts.min(count),
                Window::Time(_) => min_attempts,
            };
            RateRule {
                threshold,
                min_attempts,
                window,
            }
        })
    };
    let run = (1..5_u32, prop_oneof![Just(0), 0..20_u64]).prop_map(|(failures, spanning)| {
        ConsecutiveRule {
            failures,
            // Never another one: what a longer one would bring back is forgotten.
            within: tens(40),
            spanning: tens(spanning),
        }
    });
    let growth = (1..4_u8, 1..200_u64).prop_map(|(factor, max)| Growth {
        factor: f64::from(factor),
        max: tens(max),
    });
    (
        mode,
        option::of(rate()),
        option::weighted(0.3, rate()),
        option::of(run),
        (1..40_u64).prop_map(tens),
        option::of(growth),
        1..4_u32,
        1..4_u32,
    )
        .prop_map(
            |(mode, failure_rate, slow, consecutive, open_for, growth, probes, close_after)| {
                let defaults = Breaker::default()
                    .settings()
                    .expect("the defaults are good");
                BreakerSettings {
                    mode,
                    failure_rate,
                    slow_calls: slow.map(|rule| SlowRule {
                        threshold: rule.threshold,
                        // What is slow is decided before.
                        longer_than: tens(1),
                        min_attempts: rule.min_attempts,
                        window: rule.window,
                    }),
                    consecutive,
                    open_for,
                    growth,
                    probes,
                    close_after,
                    ..defaults
                }
            },
        )
}
