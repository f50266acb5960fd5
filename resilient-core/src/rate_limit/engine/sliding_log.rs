//! Sliding windows, from every request.

use std::collections::VecDeque;

use super::{Charge, Engine};

/// At most `quota` in any window: a request counts from when it came until one window later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlidingLog {
    pub(super) quota: u32,
    pub(super) window: u64,
}

/// What came when, the oldest first; no more entries than the quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Log {
    entries: VecDeque<(u64, u32)>,
}

impl Log {
    fn latest(&self) -> u64 {
        self.entries.back().map_or(0, |entry| entry.0)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl SlidingLog {
    pub(crate) fn new(quota: u32, window: u64) -> Self {
        SlidingLog { quota, window }
    }

    /// What still counts, the oldest first.
    fn live<'log>(&self, log: &'log Log, now: u64) -> impl Iterator<Item = (u64, u32)> + use<'log> {
        let window = self.window;
        log.entries
            .iter()
            .copied()
            .skip_while(move |entry| entry.0.saturating_add(window) <= now)
    }

    fn counted(&self, log: &Log, now: u64) -> u32 {
        self.live(log, now)
            .fold(0, |sum, (_, cost)| sum.saturating_add(cost))
    }

    /// What another log with other numbers begins with, in place of `log`.
    pub(crate) fn hand_over(&self, log: &Log, now: u64) -> Log {
        Log {
            entries: self.live(log, now).collect(),
        }
    }
}

impl Engine<Log> for SlidingLog {
    fn wait(&self, log: &Log, cost: u32, now: u64) -> u64 {
        let now = now.max(log.latest());
        let together = self.counted(log, now).saturating_add(cost);
        let mut surplus = together.saturating_sub(self.quota);
        if surplus == 0 {
            return 0;
        }
        for (at, cost) in self.live(log, now) {
            surplus = surplus.saturating_sub(cost);
            if surplus == 0 {
                return at.saturating_add(self.window).saturating_sub(now);
            }
        }
        self.window
    }

    fn take(&self, log: &mut Log, cost: u32, now: u64) {
        let now = now.max(log.latest());
        while let Some(&(at, _)) = log.entries.front()
            && at.saturating_add(self.window) <= now
        {
            log.entries.pop_front();
        }
        match log.entries.back_mut() {
            Some(last) if last.0 == now => last.1 = last.1.saturating_add(cost),
            _ => log.entries.push_back((now, cost)),
        }
    }

    fn refundable_until(&self, _: &Log, now: u64) -> u64 {
        now.saturating_add(self.window)
    }

    fn refund(&self, log: &mut Log, charge: Charge, now: u64) {
        if now >= charge.until {
            return;
        }
        let found = log
            .entries
            .binary_search_by_key(&charge.at, |entry| entry.0);
        let Ok(place) = found else { return };
        if let Some(entry) = log.entries.get_mut(place) {
            entry.1 = entry.1.saturating_sub(charge.cost);
            if entry.1 == 0 {
                log.entries.remove(place);
            }
        }
    }

    fn used(&self, log: &Log, now: u64) -> u32 {
        self.counted(log, now)
    }

    fn reset(&self, log: &Log, now: u64) -> u64 {
        if self.counted(log, now) == 0 {
            return 0;
        }
        let now = now.max(log.latest());
        log.latest().saturating_add(self.window) - now
    }
}
