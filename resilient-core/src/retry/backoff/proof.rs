//! Rule R2 for numbers nobody would think of, and the spread of what is drawn.

use std::time::Duration;

use proptest::prelude::*;

use super::{backoff, throttled};
use crate::reference::play_all;
use crate::retry::{Jitter, RetrySettings};
use crate::seam::random::Random;

const KINDS: [Jitter; 5] = [
    Jitter::None,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
    Jitter::Proportional,
];

/// From nothing to the longest there is, with no size more likely than another.
fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        Just(Duration::MAX),
        (0..64_u32, 0..1_000_000_000_u32)
            .prop_map(|(bits, nanos)| Duration::new(u64::MAX >> bits, nanos)),
        (0..1_u64 << 40).prop_map(Duration::from_nanos),
    ]
}

fn settings() -> impl Strategy<Value = RetrySettings> {
    let factor = prop_oneof![Just(1.0), Just(2.0), 1.0..1_000.0_f64, Just(f64::MAX)];
    (0..KINDS.len(), durations(), durations(), factor).prop_map(|(kind, base, cap, factor)| {
        RetrySettings {
            base,
            cap,
            factor,
            jitter: KINDS[kind],
            ..RetrySettings::default()
        }
    })
}

fn retries() -> impl Strategy<Value = u32> {
    prop_oneof![1..10_u32, 1..=u32::MAX, Just(u32::MAX)]
}

fn units() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0 - f64::EPSILON / 2.0), 0.0..1.0_f64]
}

/// `min(cap, base * factor^(n-1))` in seconds, by multiplying again and again.
fn schedule(settings: &RetrySettings, retry: u32) -> f64 {
    let cap = settings.cap.as_secs_f64();
    let mut wait = settings.base.as_secs_f64();
    if settings.factor > 1.0 && wait > 0.0 {
        for _ in 1..retry {
            wait *= settings.factor;
            if wait >= cap {
                break;
            }
        }
    }
    wait.min(cap)
}

/// Equal but for what floats and whole nanoseconds lose.
fn at_most(found: Duration, most: f64) -> bool {
    found.as_secs_f64() <= most * (1.0 + 1e-6) + 3e-9
}

fn at_least(found: Duration, least: f64) -> bool {
    found.as_secs_f64() >= least * (1.0 - 1e-6) - 3e-9
}

#[test]
fn r2_every_jitter_stays_within_its_bounds() {
    let scripts = (settings(), retries(), durations(), units());
    play_all(scripts, |(settings, retry, previous, unit)| {
        let wait = backoff(&settings, retry, previous, unit);
        let (base, cap) = (settings.base.as_secs_f64(), settings.cap.as_secs_f64());
        let whole = schedule(&settings, retry);
        let (least, most) = match settings.jitter {
            Jitter::None => (whole, whole),
            Jitter::Full => (0.0, whole),
            Jitter::Equal => (whole / 2.0, whole),
            Jitter::Decorrelated => {
                let before = previous.max(settings.base).as_secs_f64();
                // Past the longest duration there is, it is that one.
                let most = (3.0 * before).min(Duration::MAX.as_secs_f64());
                (base.min(cap), most.min(cap))
            }
            Jitter::Proportional => {
                let least = whole.min(cap / 1.1);
                (least, least * 1.1)
            }
        };
        prop_assert!(wait <= settings.cap, "{:?} above the cap", wait);
        prop_assert!(at_least(wait, least), "{:?} below {}", wait, least);
        prop_assert!(at_most(wait, most), "{:?} above {}", wait, most);
        Ok(())
    });
}

#[test]
fn r3_a_hint_is_kept_and_hardly_exceeded() {
    let scripts = (settings(), durations(), retries(), units());
    play_all(scripts, |(settings, hint, retry, unit)| {
        let wait = throttled(&settings, hint, retry, unit);
        let spread = (hint / 10).max(settings.base).as_secs_f64();
        let most = hint.as_secs_f64() + spread.min(schedule(&settings, retry));
        prop_assert!(wait >= hint);
        prop_assert!(at_most(wait, most), "{:?} above {}", wait, most);
        Ok(())
    });
}

const DRAWS: u32 = 10_000;

/// The largest distance between the share of `draws` up to a point and the share there should be: the
/// statistic of Kolmogorov and Smirnov, for a uniform distribution over 0..1.
fn distance(mut draws: Vec<f64>) -> f64 {
    draws.sort_by(f64::total_cmp);
    let all = f64::from(DRAWS);
    (0..DRAWS)
        .zip(draws)
        .map(|(before, draw)| {
            let (below, upto) = (f64::from(before) / all, f64::from(before + 1) / all);
            (draw - below).abs().max((upto - draw).abs())
        })
        .fold(0.0, f64::max)
}

/// What lies further from uniform than this does so by chance once in a thousand times:
/// `sqrt(ln(2 / 0.001) / 2) / sqrt(n)`. The seed is fixed, so it is either so or not.
fn critical() -> f64 {
    (2000.0_f64.ln() / 2.0).sqrt() / f64::from(DRAWS).sqrt()
}

/// Where in its range a wait lies: 0 at the least, 1 at the most.
fn place(wait: Duration, least: Duration, most: Duration) -> f64 {
    wait.saturating_sub(least).as_secs_f64() / most.saturating_sub(least).as_secs_f64()
}

#[test]
fn r2_what_is_drawn_is_uniform() {
    let settings = |jitter| RetrySettings {
        base: Duration::from_millis(100),
        cap: Duration::from_secs(60),
        factor: 2.0,
        jitter,
        ..RetrySettings::default()
    };
    let ms = Duration::from_millis;
    // Before the fourth retry, after a wait of half a second.
    let rows = [
        (Jitter::Full, ms(0), ms(800)),
        (Jitter::Equal, ms(400), ms(800)),
        (Jitter::Decorrelated, ms(100), ms(1500)),
        (Jitter::Proportional, ms(800), ms(880)),
    ];
    for (jitter, least, most) in rows {
        let random = Random::seeded(4);
        let draws = (0..DRAWS)
            .map(|_| backoff(&settings(jitter), 4, ms(500), random.unit()))
            .map(|wait| place(wait, least, most))
            .collect();
        let distance = distance(draws);
        assert!(distance < critical(), "{jitter}: {distance}");
    }
}

#[test]
fn r3_what_is_added_to_a_hint_is_uniform() {
    let settings = RetrySettings {
        // Short enough that the tenth of the hint is what is added at most.
        jitter: Jitter::Full,
        base: Duration::from_millis(200),
        ..RetrySettings::default()
    };
    let (hint, random) = (Duration::from_secs(3), Random::seeded(4));
    let draws = (0..DRAWS)
        .map(|_| throttled(&settings, hint, 5, random.unit()))
        .map(|wait| place(wait, hint, hint + hint / 10))
        .collect();
    let distance = distance(draws);
    assert!(distance < critical(), "{distance}");
}

/// Each step is drawn from the one before, so it is the steps that are uniform.
#[test]
fn r2_decorrelated_steps_are_uniform() {
    let settings = RetrySettings {
        base: Duration::from_millis(100),
        cap: Duration::MAX,
        jitter: Jitter::Decorrelated,
        ..RetrySettings::default()
    };
    let random = Random::seeded(4);
    let mut previous = Duration::ZERO;
    let draws = (0..DRAWS)
        .map(|retry| {
            let highest = previous.max(settings.base) * 3;
            // Starts over now and then, long before the waits are too long to be told apart.
            let wait = backoff(&settings, retry + 1, previous, random.unit());
            previous = if retry % 20 == 19 {
                Duration::ZERO
            } else {
                wait
            };
            place(wait, settings.base, highest)
        })
        .collect();
    let distance = distance(draws);
    assert!(distance < critical(), "{distance}");
}

/// The test can fail: it tells the waits of one kind from those of another, and uniform draws from
/// the better of two.
#[test]
fn what_is_not_uniform_is_found() {
    let random = Random::seeded(4);
    let uniform: Vec<_> = (0..DRAWS).map(|_| random.unit()).collect();
    assert!(distance(uniform.clone()) < critical());
    let of_two = uniform.iter().map(|unit| unit.max(random.unit())).collect();
    assert!(distance(of_two) > critical());
    let upper_half = uniform.iter().map(|unit| 0.5 + unit / 2.0).collect();
    assert!(distance(upper_half) > critical());
    let coarse = uniform.iter().map(|unit| (unit * 20.0).floor() / 20.0);
    assert!(distance(coarse.collect()) > critical());
}
