//! A call on the stack, whole: its frame, what it holds, and what it shares with its copies.

use super::frame::Frame;
use super::lease::Lease;
use crate::key::IdempotencyKey;

/// The id of no policy.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The policies by their ids that an attempt has passed and that wait for its end, or [`NOBODY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holds {
    /// The breaker the call was admitted by.
    pub(crate) breaker: u32,
    /// The bulkhead the call has a permit of.
    pub(crate) bulkhead: u32,
    /// The throttle that counts the attempt.
    pub(crate) throttle: u32,
}

impl Holds {
    pub(crate) const NOTHING: Holds = Holds {
        breaker: NOBODY,
        bulkhead: NOBODY,
        throttle: NOBODY,
    };
}

/// What a call shares with the copies of its frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    pub(crate) key: Option<IdempotencyKey>,
    /// Whether all it holds still does, for copies in other tasks; only a call that was carried has
    /// one.
    lease: Option<Lease>,
}

impl Credentials {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.key.is_none() && self.lease.is_none()
    }

    /// Copies hold what an attempt held together or nothing: a task that outlives the attempt it
    /// began in is not part of the next one.
    #[inline]
    pub(crate) fn end_lease(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.end();
        }
    }
}

/// A call on the stack, or one that is to be put there.
#[derive(Clone, Debug)]
pub(crate) struct Lent {
    pub(crate) frame: Frame,
    pub(super) holds: Holds,
    pub(super) credentials: Credentials,
}

impl Lent {
    /// One that holds nothing.
    pub(super) fn new(frame: Frame, key: Option<IdempotencyKey>) -> Self {
        Lent {
            frame,
            holds: Holds::NOTHING,
            credentials: Credentials { key, lease: None },
        }
    }

    /// This one for the stack. What stays behind only waits for it to come back.
    pub(super) fn lend(&mut self) -> Lent {
        Lent {
            frame: self.frame,
            holds: self.holds,
            credentials: std::mem::take(&mut self.credentials),
        }
    }

    /// What code inside may have changed, and what was moved, back from the stack.
    pub(super) fn take_back(&mut self, lent: Lent) {
        self.frame.take_back(lent.frame);
        self.credentials = lent.credentials;
    }

    /// Whether what is asked about is among what the call still holds.
    pub(super) fn holds(&self, asked: impl Fn(&Holds) -> bool) -> bool {
        asked(&self.holds) && self.credentials.lease.as_ref().is_none_or(Lease::holds)
    }

    /// The same for another task.
    pub(super) fn carried(&mut self) -> Lent {
        if self.holds != Holds::NOTHING {
            self.credentials.lease.get_or_insert_default();
        }
        Lent {
            frame: self.frame.carried(),
            holds: self.holds,
            credentials: self.credentials.clone(),
        }
    }
}
