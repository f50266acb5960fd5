//! How long a breaker stays open.

use std::time::Duration;

use super::settings::BreakerSettings;

/// `min(open_for * factor^n, max)`, give or take up to 20 %; `unit` is a draw from `0.0..1.0` and
/// `n` counts the openings since the breaker was last closed for a whole window.
pub(crate) fn open_time(settings: &BreakerSettings, n: u32, unit: f64) -> Duration {
    let base = match settings.growth {
        Some(growth) => {
            let exponent = i32::try_from(n).unwrap_or(i32::MAX);
            scaled(settings.open_for, growth.factor.powi(exponent)).min(growth.max)
        }
        None => settings.open_for,
    };
    scaled(base, 0.8 + 0.4 * unit)
}

/// Saturates where the product is no duration any more.
fn scaled(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breaker::Breaker;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn b5_open_time_grows_and_scatters() {
        let plain = Breaker::consecutive(1).open_for("10s");
        let growing = plain.clone().growth(2.0, "35s");
        let extreme = Breaker::consecutive(1)
            .open_for(Duration::MAX)
            .growth(f64::MAX, Duration::MAX);
        for (breaker, n, unit, expected) in [
            (&plain, 0, 0.0, secs(8)),
            (&plain, 0, 0.5, secs(10)),
            (&plain, 7, 1.0, secs(12)),
            (&growing, 0, 0.5, secs(10)),
            (&growing, 1, 0.5, secs(20)),
            (&growing, 2, 0.5, secs(35)),
            (&growing, 2, 0.0, secs(28)),
            (&growing, u32::MAX, 0.5, secs(35)),
            (&extreme, 0, 1.0, Duration::MAX),
            (&extreme, u32::MAX, 1.0, Duration::MAX),
        ] {
            let settings = breaker.settings().expect("valid settings");
            assert_eq!(
                open_time(&settings, n, unit),
                expected,
                "{n} {unit} {breaker:?}"
            );
        }
    }
}
