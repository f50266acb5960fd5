//! What one call in progress tells the code inside it.

use super::limit::Limit;
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
/// It is copied onto the thread's stack while the call's body is polled, and the stamps its clocks
/// received come back afterwards, so that they need no shared allocation. Small, because each call
/// in progress carries one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The number of the attempt, from 1.
    pub(crate) attempt: u32,
    /// How many attempts there may be.
    pub(crate) max: u32,
    /// The running attempt's own limit.
    pub(crate) timeout: Limit,
    /// The call's own limit.
    pub(crate) deadline: Limit,
    /// When the calls around this one end.
    pub(crate) inherited: Moment,
}

impl Default for Frame {
    fn default() -> Self {
        Frame::ALONE
    }
}

impl Frame {
    /// The first attempt of one, without any limit.
    const ALONE: Frame = Frame {
        attempt: 1,
        max: 1,
        timeout: Limit::NONE,
        deadline: Limit::NONE,
        inherited: Moment::NEVER,
    };

    /// What code inside may have changed, back from the stack.
    #[inline]
    pub(super) fn take_back(&mut self, lent: Frame) {
        self.timeout = lent.timeout;
        self.deadline = lent.deadline;
    }

    pub(crate) fn is_limited(&self) -> bool {
        !self.timeout.is_none() || !self.deadline.is_none() || self.inherited != Moment::NEVER
    }

    /// Whether the call's time is over. A clock that has not started does not start here.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        let own = self.deadline.known_end().unwrap_or(Moment::NEVER);
        let end = own.min(self.inherited);
        end != Moment::NEVER && clock::now() >= end
    }

    /// When code inside this frame must end, at the latest. The clock is read only if it must
    /// start now.
    pub(crate) fn limit(&mut self) -> Moment {
        match (self.timeout.known_end(), self.deadline.known_end()) {
            (Some(timeout), Some(deadline)) => timeout.min(deadline).min(self.inherited),
            _ => self.cut(clock::now()).0,
        }
    }

    /// When this call ends itself or its running attempt, as far as the clocks have started.
    pub(crate) fn own_end(&self) -> Moment {
        let known = |limit: Limit| limit.known_end().unwrap_or(Moment::NEVER);
        known(self.timeout).min(known(self.deadline))
    }

    /// The frame of a copy for another task, where no call stands behind it that would end itself.
    /// What is left of the time is fixed now.
    pub(super) fn carried(&mut self) -> Frame {
        Frame {
            timeout: Limit::NONE,
            deadline: Limit::NONE,
            inherited: self.limit(),
            ..*self
        }
    }

    /// When the call ends, attempts aside, and which limit that is. The call's clock starts now
    /// unless it has started.
    pub(crate) fn end(&mut self, now: Moment) -> (Moment, Cut) {
        let own = self.deadline.end(now);
        if own < self.inherited {
            (own, Cut::Deadline)
        } else {
            (self.inherited, Cut::Inherited)
        }
    }

    /// When the running attempt is cut, and by which limit. Both clocks start now unless they
    /// have started.
    pub(crate) fn cut(&mut self, now: Moment) -> (Moment, Cut) {
        let timeout = self.timeout.end(now);
        let (end, limit) = self.end(now);
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

    fn ms(millis: u64) -> Limit {
        Limit::of(millis * 1_000_000)
    }

    #[test]
    fn the_nearest_limit_cuts() {
        let never = Moment::NEVER;
        let rows = [
            // timeout, deadline, inherited => cut; the call started at 0, the attempt at 50
            (ms(100), Limit::NONE, never, (at(150), Cut::Timeout)),
            (ms(100), ms(120), never, (at(120), Cut::Deadline)),
            (ms(100), ms(120), at(110), (at(110), Cut::Inherited)),
            (Limit::NONE, Limit::NONE, at(110), (at(110), Cut::Inherited)),
            (Limit::NONE, Limit::NONE, never, (never, Cut::Inherited)),
        ];
        for (timeout, deadline, inherited, expected) in rows {
            let mut frame = Frame {
                timeout,
                deadline,
                inherited,
                ..Frame::default()
            };
            frame.end(at(0));
            assert_eq!(frame.cut(at(50)), expected, "{frame:?}");
        }
    }

    #[test]
    fn t1_the_clocks_start_at_the_first_reading() {
        let mut frame = Frame {
            timeout: ms(1),
            deadline: ms(5),
            ..Frame::default()
        };
        assert_eq!(frame.cut(at(7)), (at(8), Cut::Timeout));
        assert_eq!(
            frame.cut(at(9)),
            (at(8), Cut::Timeout),
            "a second reading moves nothing"
        );
        assert_eq!(frame.limit(), at(8));
    }
}
