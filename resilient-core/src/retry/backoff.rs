//! The waits between attempts: arithmetic only, chance passed in.

use std::time::Duration;

use super::config::RetrySettings;
use super::jitter::Jitter;

/// The wait before retry number `retry` (1 after the first attempt). `previous` is the wait this
/// function gave before (zero at first); `unit` is a uniform draw from `0.0..1.0`.
///
/// Never above `cap`, and zero for a zero base.
pub(crate) fn backoff(
    settings: &RetrySettings,
    retry: u32,
    previous: Duration,
    unit: f64,
) -> Duration {
    let RetrySettings { base, cap, .. } = *settings;
    match settings.jitter {
        Jitter::None => exponential(settings, retry, cap),
        Jitter::Full => share(exponential(settings, retry, cap), unit),
        Jitter::Equal => {
            let whole = exponential(settings, retry, cap);
            let spread = whole / 2;
            share(spread, unit).saturating_add(whole.saturating_sub(spread))
        }
        Jitter::Decorrelated => {
            // Live settings can change between two waits, so the one before may be too short.
            let highest = previous.max(base).saturating_mul(3);
            let drawn = base.saturating_add(share(highest.saturating_sub(base), unit));
            drawn.min(cap)
        }
        Jitter::Proportional => {
            let least = exponential(settings, retry, eleventh(cap).saturating_mul(10));
            least.saturating_add(share(least / 10, unit))
        }
    }
}

/// The wait after the dependency asked for `hint`: at least that, and a little more by chance, so
/// that clients told the same time do not return in the same instant.
pub(crate) fn throttled(
    settings: &RetrySettings,
    hint: Duration,
    retry: u32,
    unit: f64,
) -> Duration {
    let own = exponential(settings, retry, settings.cap);
    let spread = own.min(settings.base.max(hint / 10));
    hint.saturating_add(share(spread, unit))
}

/// `min(limit, base * factor^(retry-1))`.
fn exponential(settings: &RetrySettings, retry: u32, limit: Duration) -> Duration {
    let steps = i32::try_from(retry.saturating_sub(1)).unwrap_or(i32::MAX);
    multiply(settings.base, settings.factor.powi(steps), limit)
}

/// A part of `whole`, at most `whole`.
fn share(whole: Duration, unit: f64) -> Duration {
    multiply(whole, unit, whole)
}

/// An eleventh: ten of them and a tenth more make the whole.
fn eleventh(cap: Duration) -> Duration {
    cap / 11
}

/// `min(limit, duration * factor)` for a factor that is not negative, infinity included.
///
/// `Duration::mul_f64` panics where this saturates.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "past 104 days a nanosecond is lost; the product lies between zero and the limit"
)]
fn multiply(duration: Duration, factor: f64, limit: Duration) -> Duration {
    const NANOS: u128 = 1_000_000_000;
    // Zero times infinity is not a number.
    if duration.is_zero() {
        return Duration::ZERO;
    }
    let product = duration.as_nanos() as f64 * factor;
    if product >= limit.as_nanos() as f64 {
        return limit;
    }
    let nanos = product.round() as u128;
    Duration::new((nanos / NANOS) as u64, (nanos % NANOS) as u32).min(limit)
}

#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod proof;

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Jitter; 5] = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::Proportional,
    ];

    fn with(jitter: Jitter, base: Duration, cap: Duration, factor: f64) -> RetrySettings {
        RetrySettings {
            base,
            cap,
            factor,
            jitter,
            ..RetrySettings::default()
        }
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Waits for retries 1, 2, .. with the same draw each time.
    fn waits(settings: &RetrySettings, unit: f64, count: u32) -> Vec<Duration> {
        let mut previous = Duration::ZERO;
        (1..=count)
            .map(|retry| {
                previous = backoff(settings, retry, previous, unit);
                previous
            })
            .collect()
    }

    // case RD-04, RD-07, RD-09, RD-10, RD-12, RD-16, RD-17, RD-19, RD-21, RD-29
    #[test]
    fn schedules_without_chance() {
        let day = Duration::from_secs(86_400);
        let rows: [(Duration, Duration, f64, &[u64]); 9] = [
            (
                ms(1),
                Duration::MAX,
                2.0,
                &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
            ),
            (
                ms(100),
                ms(100_000),
                2.0,
                &[
                    100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 100_000, 100_000,
                    100_000,
                ],
            ),
            (ms(500), Duration::MAX, 2.0, &[500, 1000]),
            (ms(1000), Duration::MAX, 1.0, &[1000, 1000, 1000]),
            (
                ms(1000),
                ms(10_000),
                2.0,
                &[1000, 2000, 4000, 8000, 10_000, 10_000],
            ),
            (ms(10_000), ms(1000), 2.0, &[1000, 1000]),
            (ms(2000), ms(123), 1.0, &[123, 123, 123]),
            (
                ms(50),
                ms(20_000),
                2.0,
                &[
                    50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000,
                ],
            ),
            (day, day * 2, 2.0, &[86_400_000, 172_800_000, 172_800_000]),
        ];
        for (base, cap, factor, expected) in rows {
            let settings = with(Jitter::None, base, cap, factor);
            let expected: Vec<_> = expected.iter().copied().map(ms).collect();
            let count = u32::try_from(expected.len()).expect("a short row");
            assert_eq!(waits(&settings, 0.5, count), expected, "{settings:?}");
        }
    }

    #[test]
    fn exact_draws() {
        // base 100 ms, cap 550 ms, factor 2: d = 100, 200, 400, 550.
        let rows: [(Jitter, f64, [u64; 4]); 15] = [
            (Jitter::None, 0.0, [100, 200, 400, 550]),
            (Jitter::None, 0.5, [100, 200, 400, 550]),
            (Jitter::None, 1.0, [100, 200, 400, 550]),
            (Jitter::Full, 0.0, [0, 0, 0, 0]),
            (Jitter::Full, 0.5, [50, 100, 200, 275]),
            (Jitter::Full, 1.0, [100, 200, 400, 550]),
            (Jitter::Equal, 0.0, [50, 100, 200, 275]),
            (Jitter::Equal, 0.4, [70, 140, 280, 385]),
            (Jitter::Equal, 1.0, [100, 200, 400, 550]),
            (Jitter::Decorrelated, 0.0, [100, 100, 100, 100]),
            (Jitter::Decorrelated, 0.5, [200, 350, 550, 550]),
            (Jitter::Decorrelated, 1.0, [300, 550, 550, 550]),
            (Jitter::Proportional, 0.0, [100, 200, 400, 500]),
            (Jitter::Proportional, 0.5, [105, 210, 420, 525]),
            (Jitter::Proportional, 1.0, [110, 220, 440, 550]),
        ];
        for (jitter, unit, expected) in rows {
            let settings = with(jitter, ms(100), ms(550), 2.0);
            let expected = expected.map(ms);
            assert_eq!(waits(&settings, unit, 4), expected, "{jitter} {unit}");
        }
    }

    #[test]
    fn a_cap_below_the_base_is_the_wait() {
        for jitter in KINDS {
            let settings = with(jitter, ms(10_000), ms(1100), 2.0);
            for wait in waits(&settings, 1.0, 3) {
                assert_eq!(wait, ms(1100), "{jitter}");
            }
        }
    }

    // case D08, RD-15
    #[test]
    fn a_zero_base_does_not_wait() {
        for jitter in KINDS {
            for factor in [1.0, 2.0, 1000.0] {
                for unit in [0.0, 0.5, 1.0] {
                    let settings = with(jitter, Duration::ZERO, ms(5000), factor);
                    for retry in [1, 2, 100, u32::MAX] {
                        let wait = backoff(&settings, retry, Duration::ZERO, unit);
                        assert_eq!(wait, Duration::ZERO, "{jitter} {factor} {retry}");
                    }
                }
            }
        }
    }

    // case D03, D04, D08, RD-19, RD-35
    /// Overflow, empty ranges, infinity and attempts beyond reason: no panic, and never a wait
    /// above the cap.
    #[test]
    fn no_numbers_break_the_bounds() {
        let durations = [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_nanos(11),
            ms(10),
            Duration::from_secs(1),
            Duration::from_secs(86_400),
            Duration::from_secs(u64::MAX / 10),
            Duration::new(u64::MAX, 999_999_998),
            Duration::MAX,
        ];
        let retries = [1, 2, 32, 33, 64, 65, 350, 1100, 4_000_000_000, u32::MAX];
        for jitter in KINDS {
            for base in durations {
                for cap in durations {
                    for factor in [1.0, 1.1, 2.0, 10.0, 1000.0] {
                        let settings = with(jitter, base, cap, factor);
                        for retry in retries {
                            for previous in [Duration::ZERO, cap, Duration::MAX] {
                                for unit in [0.0, 0.5, 1.0 - f64::EPSILON, 1.0] {
                                    let wait = backoff(&settings, retry, previous, unit);
                                    assert!(wait <= cap, "{settings:?} {retry} {wait:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    // case D01, D04, D05, RD-19
    #[test]
    fn an_overflowing_wait_is_the_cap_and_never_shrinks() {
        for (base, cap, factor) in [
            (Duration::from_secs(1), ms(10), 2.0),
            (Duration::from_secs(1), Duration::MAX, 10.0),
            (Duration::from_secs(3600), Duration::MAX, 2.0),
            (Duration::from_secs(86_400), Duration::MAX, 2.0),
        ] {
            let settings = with(Jitter::None, base, cap, factor);
            let all = waits(&settings, 0.0, 1100);
            assert!(
                all.windows(2).all(|pair| pair[0] <= pair[1]),
                "{settings:?}"
            );
            assert!(all.iter().all(|wait| !wait.is_zero()), "{settings:?}");
            assert_eq!(all.last(), Some(&cap), "{settings:?}");
        }
    }

    /// A cheap stream of draws, the same in every run.
    fn draws(count: usize) -> impl Iterator<Item = f64> {
        let mut state = 0_u32;
        std::iter::repeat_with(move || {
            // The additive recurrence with the golden ratio: evenly spread over 0..1.
            state = state.wrapping_add(2_654_435_769);
            f64::from(state) / 4_294_967_296.0
        })
        .take(count)
    }

    // case E01
    #[test]
    fn waits_at_the_cap_are_still_spread() {
        for jitter in [
            Jitter::Full,
            Jitter::Equal,
            Jitter::Decorrelated,
            Jitter::Proportional,
        ] {
            let settings = with(jitter, ms(100), ms(500), 2.0);
            let mut previous = ms(500);
            let mut seen: Vec<_> = draws(10_000)
                .map(|unit| {
                    previous = backoff(&settings, 10, previous, unit);
                    previous
                })
                .collect();
            assert!(seen.iter().all(|wait| *wait <= ms(500)), "{jitter}");
            seen.sort_unstable();
            seen.dedup();
            assert!(seen.len() >= 100, "{jitter}: {} values", seen.len());
        }
    }

    // case E02
    /// Jitter multiplied into a stored wait would compound.
    #[test]
    fn each_wait_is_drawn_from_the_schedule_and_not_from_the_wait_before() {
        let settings = with(Jitter::Proportional, ms(1000), Duration::MAX, 2.0);
        for unit in draws(1000) {
            for (at, wait) in waits(&settings, unit, 7).into_iter().enumerate() {
                let least = ms(1000 << at);
                assert!(wait >= least && wait <= least + least / 10, "{at} {wait:?}");
            }
        }
    }

    // case E04
    #[test]
    fn a_tiny_base_has_no_larger_jitter() {
        let settings = RetrySettings {
            base: ms(1),
            ..RetrySettings::default()
        };
        for unit in draws(1000) {
            assert!(backoff(&settings, 1, Duration::ZERO, unit) <= ms(1));
        }
    }

    #[test]
    fn a_hint_is_kept_and_spread() {
        // base 100 ms, cap 1 s: d = 100, 200, 400, 800, 1000.
        let rows: [(u64, u32, f64, u64); 12] = [
            // min(d, max(hint/10, base)): the schedule is the smaller.
            (60_000, 1, 0.0, 60_000),
            (60_000, 1, 0.5, 60_050),
            (60_000, 1, 1.0, 60_100),
            (60_000, 3, 1.0, 60_400),
            (60_000, 99, 1.0, 61_000),
            // A tenth of the hint is the smaller.
            (3000, 5, 1.0, 3300),
            (3000, 5, 0.5, 3150),
            // A tenth of the hint is below the base.
            (500, 5, 1.0, 600),
            (10, 5, 0.0, 10),
            (10, 5, 1.0, 110),
            (0, 1, 0.0, 0),
            (0, 1, 1.0, 100),
        ];
        for jitter in KINDS {
            let settings = with(jitter, ms(100), ms(1000), 2.0);
            for (hint, retry, unit, expected) in rows {
                let wait = throttled(&settings, ms(hint), retry, unit);
                assert_eq!(wait, ms(expected), "{jitter} {hint} {retry} {unit}");
            }
        }
    }

    // case E03
    #[test]
    fn clients_told_the_same_time_return_at_different_times() {
        let settings = RetrySettings::default();
        let hint = Duration::from_secs(60);
        let mut seen: Vec<_> = draws(100)
            .map(|unit| throttled(&settings, hint, 1, unit))
            .collect();
        assert!(
            seen.iter()
                .all(|wait| *wait >= hint && *wait <= hint + settings.base)
        );
        let all_millis: std::collections::BTreeSet<_> =
            seen.iter().map(Duration::as_millis).collect();
        assert!(all_millis.len() > 80, "{} milliseconds", all_millis.len());
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 100);
    }

    #[test]
    fn an_endless_hint_does_not_overflow() {
        let settings = RetrySettings::default();
        for hint in [Duration::MAX, Duration::from_secs(u64::MAX)] {
            for retry in [1, u32::MAX] {
                assert!(throttled(&settings, hint, retry, 1.0) >= hint);
            }
        }
    }
}
