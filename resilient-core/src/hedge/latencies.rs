//! How long the last successes of a call site took.

use std::time::Duration;

use crate::seam::sync::Lock;

/// How many successes are remembered.
const KEPT: usize = 128;

/// With fewer, a quantile says nothing.
const ENOUGH: usize = 20;

/// The latencies of the last successes, in nanoseconds, the oldest overwritten first.
#[derive(Debug)]
pub(crate) struct Latencies(Lock<Ring>);

#[derive(Debug)]
struct Ring {
    kept: [u64; KEPT],
    /// How many of them were written.
    len: usize,
    next: usize,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        Latencies(Lock::new(Ring {
            kept: [0; KEPT],
            len: 0,
            next: 0,
        }))
    }

    /// A success took so long.
    pub(crate) fn add(&self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        let mut ring = self.0.lock();
        let next = ring.next;
        ring.kept[next] = nanos;
        ring.next = (next + 1) % KEPT;
        ring.len = KEPT.min(ring.len + 1);
    }

    /// The shortest time that this share of the successes did not exceed (the nearest rank), or
    /// `None` while there are too few.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<Duration> {
        let (mut kept, len) = {
            let ring = self.0.lock();
            (ring.kept, ring.len)
        };
        if len < ENOUGH {
            return None;
        }
        let (_, nanos, _) = kept[..len].select_nth_unstable(rank(quantile, len) - 1);
        Some(Duration::from_nanos(*nanos))
    }
}

/// `ceil(quantile * len)`, from 1 to `len`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share of 128 at most"
)]
fn rank(quantile: f64, len: usize) -> usize {
    ((quantile * len as f64).ceil() as usize).clamp(1, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_quantile_is_the_nearest_rank_of_the_last_128() {
        let latencies = Latencies::new();
        for latency in (1..20).rev() {
            latencies.add(ms(latency));
        }
        assert_eq!(latencies.quantile(0.5), None, "too few");
        latencies.add(ms(20));
        for (quantile, expected) in [(1e-9, 1), (0.05, 1), (0.5, 10), (0.95, 19), (0.96, 20)] {
            assert_eq!(
                latencies.quantile(quantile),
                Some(ms(expected)),
                "{quantile}"
            );
        }
        for latency in 1001..=1128 {
            latencies.add(ms(latency));
        }
        for (quantile, expected) in [(1e-9, 1001), (0.5, 1064), (0.95, 1122), (0.999, 1128)] {
            assert_eq!(
                latencies.quantile(quantile),
                Some(ms(expected)),
                "{quantile}"
            );
        }
    }
}
