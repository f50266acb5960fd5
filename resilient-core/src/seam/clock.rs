//! Time, read from tokio's clock so that a paused test clock moves everything at once.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::time::Instant;

/// A point in time, in nanoseconds of a scale that only this process knows.
///
/// Plain numbers keep the engines pure and let an atomic word hold a time. The scale's zero lies
/// far before the process started: a paused runtime may live in the past of another one, and
/// must still be able to count downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Moment(u64);

/// Where on the scale the process starts: 146 years in both directions.
const EPOCH_NANOS: u64 = 1 << 62;

static EPOCH: LazyLock<Instant> = LazyLock::new(|| Instant::from_std(std::time::Instant::now()));

impl Moment {
    /// Later than every other moment: a limit that is never reached.
    pub(crate) const NEVER: Moment = Moment(u64::MAX);

    /// A moment an atomic word kept, see [`Moment::to_bits`].
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Moment(bits)
    }

    /// The number to keep in an atomic word; 0 is never a real moment.
    pub(crate) const fn to_bits(self) -> u64 {
        self.0
    }

    /// For engine tests, which need no clock at all.
    #[cfg(test)]
    pub(crate) const fn at_millis(millis: u64) -> Self {
        Moment(EPOCH_NANOS + millis * 1_000_000)
    }

    /// This moment plus `duration`, or [`Moment::NEVER`] if the scale ends before that.
    pub(crate) fn plus(self, duration: Duration) -> Self {
        Moment(self.0.saturating_add(nanos(duration)))
    }

    /// This moment plus so many nanoseconds, or [`Moment::NEVER`] if the scale ends before that.
    pub(crate) fn plus_nanos(self, nanos: u64) -> Self {
        Moment(self.0.saturating_add(nanos))
    }

    /// How long after `earlier` this moment is; zero if it is not.
    pub(crate) fn since(self, earlier: Moment) -> Duration {
        Duration::from_nanos(self.nanos_since(earlier))
    }

    /// The same in nanoseconds, which spares a division.
    #[inline]
    pub(crate) const fn nanos_since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The instant for a timer, or `None` for a moment no timer can reach.
    pub(crate) fn to_instant(self) -> Option<Instant> {
        if self == Moment::NEVER {
            return None;
        }
        if self.0 >= EPOCH_NANOS {
            EPOCH.checked_add(Duration::from_nanos(self.0 - EPOCH_NANOS))
        } else {
            EPOCH.checked_sub(Duration::from_nanos(EPOCH_NANOS - self.0))
        }
    }

    #[inline]
    pub(super) fn from_instant(instant: Instant) -> Self {
        let epoch = *EPOCH;
        match instant.checked_duration_since(epoch) {
            Some(after) => Moment(EPOCH_NANOS.saturating_add(nanos(after))),
            None => Moment::before_epoch(epoch.duration_since(instant)),
        }
    }

    /// Only a paused clock tells of one.
    #[cold]
    fn before_epoch(by: Duration) -> Self {
        Moment(EPOCH_NANOS.saturating_sub(nanos(by)))
    }
}

/// The time now.
#[inline]
pub(crate) fn now() -> Moment {
    Moment::from_instant(Instant::now())
}

/// A duration as nanoseconds, saturating after 584 years.
#[inline]
pub(crate) const fn nanos(duration: Duration) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    duration
        .as_secs()
        .saturating_mul(SECOND)
        .saturating_add(duration.subsec_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_durations_saturate() {
        let now = now();
        assert_eq!(now.plus(Duration::MAX), Moment::NEVER);
        assert_eq!(Moment::NEVER.plus(Duration::MAX), Moment::NEVER);
        assert_eq!(Moment::NEVER.to_instant(), None);
        assert_eq!(now.since(Moment::NEVER), Duration::ZERO);
    }

    #[test]
    fn nanoseconds_are_exact_up_to_the_last_one_that_fits() {
        for fits in [0, 1, 999_999_999, 1_000_000_000, u64::MAX - 1, u64::MAX] {
            assert_eq!(nanos(Duration::from_nanos(fits)), fits);
        }
        let one_too_many = Duration::from_nanos(u64::MAX) + Duration::from_nanos(1);
        for too_long in [one_too_many, Duration::from_secs(u64::MAX), Duration::MAX] {
            assert_eq!(nanos(too_long), u64::MAX);
        }
    }

    #[test]
    fn an_instant_before_the_first_reading_still_counts() {
        let first = now();
        let Some(before) = EPOCH.checked_sub(Duration::from_millis(5)) else {
            return;
        };
        assert!(Moment::from_instant(before) < first);
        assert_eq!(Moment::from_instant(before).to_instant(), Some(before));
    }

    #[tokio::test(start_paused = true)]
    async fn the_paused_clock_moves_it() {
        let start = now();
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(now().since(start), Duration::from_secs(61));
    }
}
