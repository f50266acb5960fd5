//! Where on the scale of Unix time this process is.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::seam::clock::{Moment, nanos, now};

/// Puts moments on the scale of Unix time, to which fixed windows are aligned.
///
/// The wall clock is read once. Whatever it is set to later, only the time that really passes is
/// added; of two processes whose clocks differ, windows differ as much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    /// Added to a moment's number, which may wrap around.
    offset: u64,
}

impl Epoch {
    pub(super) fn read() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH);
        Epoch::at(nanos(unix.unwrap_or_default()), now())
    }

    /// For tests, which cannot depend on the time of day: it is `unix` at `moment`.
    pub(super) fn at(unix: u64, moment: Moment) -> Self {
        Epoch {
            offset: unix.wrapping_sub(moment.to_bits()),
        }
    }

    pub(super) fn unix_nanos(self, moment: Moment) -> u64 {
        moment.to_bits().wrapping_add(self.offset)
    }

    pub(super) fn now(self) -> u64 {
        self.unix_nanos(now())
    }
}
