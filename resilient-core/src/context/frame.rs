//! What one call in progress tells the code inside it.

use std::time::Duration;

use crate::key::IdempotencyKey;
use crate::seam::clock::{self, Moment};

/// Which limit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The attempt's own timeout.
    Timeout,
    /// The call's own deadline.
    Deadline,
    /// The remaining time of a call around this one.
    Inherited,
}

/// One call on the stack of calls in progress.
///
/// It moves onto the thread's stack while the call's body is polled and back afterwards, so that
/// neither a clock stamp nor the key needs a shared allocation.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The number of the attempt, from 1.
    pub(crate) attempt: u32,
    /// How many attempts there may be.
    pub(crate) max: u32,
    /// When the call began to count its time, once it did.
    pub(crate) call_start: Option<Moment>,
    /// When the attempt began to count its time, once it did.
    pub(crate) attempt_start: Option<Moment>,
    /// One attempt's time in nanoseconds, or [`UNLIMITED`].
    pub(crate) timeout: u64,
    /// The call's time in nanoseconds, or [`UNLIMITED`].
    pub(crate) deadline: u64,
    /// When the calls around this one end.
    pub(crate) inherited: Moment,
    /// The breaker this call was admitted by.
    pub(crate) breaker: Option<u32>,
    /// The bulkhead this call holds a permit of.
    pub(crate) bulkhead: Option<u32>,
    pub(crate) key: Option<IdempotencyKey>,
}

/// The limit of a call that has none.
pub(crate) const UNLIMITED: u64 = u64::MAX;

impl Default for Frame {
    fn default() -> Self {
        Frame {
            attempt: 1,
            max: 1,
            call_start: None,
            attempt_start: None,
            timeout: UNLIMITED,
            deadline: UNLIMITED,
            inherited: Moment::NEVER,
            breaker: None,
            bulkhead: None,
            key: None,
        }
    }
}

impl Frame {
    /// When code inside this frame must end, at the latest. The clock is read only if there is a
    /// limit at all.
    pub(crate) fn limit(&mut self) -> Moment {
        if self.timeout == UNLIMITED && self.deadline == UNLIMITED {
            return self.inherited;
        }
        self.cut(clock::now).0
    }

    /// The start of the call's clock: now, unless it has started.
    pub(crate) fn started(&mut self, now: impl FnOnce() -> Moment) -> Moment {
        *self.call_start.get_or_insert_with(now)
    }

    /// When the call ends, attempts aside, and which limit that is.
    pub(crate) fn end(&mut self, now: impl FnOnce() -> Moment) -> (Moment, Cut) {
        if self.deadline == UNLIMITED {
            return (self.inherited, Cut::Inherited);
        }
        let own = self.started(now).plus(Duration::from_nanos(self.deadline));
        if own < self.inherited {
            (own, Cut::Deadline)
        } else {
            (self.inherited, Cut::Inherited)
        }
    }

    /// When the running attempt is cut, and by which limit; both clocks start if they had not.
    pub(crate) fn cut(&mut self, now: impl FnOnce() -> Moment) -> (Moment, Cut) {
        let started = *self.attempt_start.get_or_insert_with(now);
        let (end, limit) = self.end(|| started);
        if self.timeout == UNLIMITED {
            return (end, limit);
        }
        let timeout = started.plus(Duration::from_nanos(self.timeout));
        if timeout < end {
            (timeout, Cut::Timeout)
        } else {
            (end, limit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::at_millis(millis)
    }

    #[test]
    fn the_nearest_limit_cuts() {
        const MS: u64 = 1_000_000;
        let never = Moment::NEVER;
        let rows = [
            // timeout, deadline, inherited => cut; the call started at 0, the attempt at 50
            (100 * MS, UNLIMITED, never, (at(150), Cut::Timeout)),
            (100 * MS, 120 * MS, never, (at(120), Cut::Deadline)),
            (100 * MS, 120 * MS, at(110), (at(110), Cut::Inherited)),
            (UNLIMITED, UNLIMITED, at(110), (at(110), Cut::Inherited)),
            (UNLIMITED, UNLIMITED, never, (never, Cut::Inherited)),
            (u64::MAX - 1, u64::MAX - 1, never, (never, Cut::Inherited)),
        ];
        for (timeout, deadline, inherited, expected) in rows {
            let mut frame = Frame {
                timeout,
                deadline,
                inherited,
                call_start: Some(at(0)),
                attempt_start: Some(at(50)),
                ..Frame::default()
            };
            assert_eq!(frame.cut(|| at(999)), expected, "{frame:?}");
        }
    }

    #[test]
    fn t1_the_clocks_start_at_the_first_reading() {
        let mut frame = Frame {
            timeout: 1_000_000,
            deadline: 5_000_000,
            ..Frame::default()
        };
        assert_eq!(frame.cut(|| at(7)), (at(8), Cut::Timeout));
        assert_eq!(
            frame.cut(|| at(9)),
            (at(8), Cut::Timeout),
            "a second reading moves nothing"
        );
        assert_eq!(frame.call_start, Some(at(7)));
    }
}
