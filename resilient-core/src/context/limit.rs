//! A limit whose clock may not have started yet.

use crate::seam::clock::Moment;

/// A length of time until its clock starts, and an end from then on.
///
/// One word: below the mark it is a length in nanoseconds, above it the bits of a moment, which
/// all lie far above. Lengths beyond the mark (73 years) are as good as none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit(u64);

const MARK: u64 = 1 << 61;

impl Limit {
    /// No limit.
    pub(crate) const NONE: Limit = Limit(Moment::NEVER.to_bits());

    /// A limit of so many nanoseconds, its clock not started.
    pub(crate) const fn of(nanos: u64) -> Self {
        if nanos < MARK {
            Limit(nanos)
        } else {
            Limit::NONE
        }
    }

    pub(crate) fn is_none(self) -> bool {
        self == Limit::NONE
    }

    /// When it is reached; its clock starts now unless it has started.
    pub(crate) fn end(&mut self, now: Moment) -> Moment {
        if self.0 < MARK {
            self.0 = now.plus_nanos(self.0).to_bits();
        }
        Moment::from_bits(self.0)
    }

    /// When it is reached, if its clock has started or it never is.
    pub(crate) fn known_end(self) -> Option<Moment> {
        (self.0 >= MARK).then_some(Moment::from_bits(self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::seam::clock;

    #[test]
    fn the_clock_starts_once() {
        let now = clock::now();
        let mut limit = Limit::of(5);
        assert_eq!(limit.known_end(), None);
        let end = limit.end(now);
        assert_eq!(end.since(now), Duration::from_nanos(5));
        assert_eq!(limit.end(now.plus(Duration::from_secs(9))), end);
        assert_eq!(limit.known_end(), Some(end));
    }

    #[test]
    fn extreme_lengths_are_never_reached() {
        let now = clock::now();
        for nanos in [MARK, u64::MAX] {
            assert!(Limit::of(nanos).is_none());
        }
        assert!(Limit::of(MARK - 1).end(now) > now);
        assert_eq!(Limit::NONE.known_end(), Some(Moment::NEVER));
    }
}
