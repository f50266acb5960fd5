//! A sliding window of outcomes.

use std::collections::VecDeque;

/// Good and bad among the latest outcomes: each new one pushes out the oldest.
///
/// Only the bad ones are remembered one by one, each by its number; the good ones are the rest. So
/// any number of good ones is counted at once, and room is taken only where something went wrong.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    length: u64,
    /// How many there have been: the number of the next one.
    recorded: u64,
    /// The number of the oldest that counts.
    oldest: u64,
    bad: VecDeque<u64>,
}

impl Latest {
    pub(crate) fn new(length: u32) -> Self {
        Latest {
            length: u64::from(length),
            recorded: 0,
            oldest: 0,
            bad: VecDeque::new(),
        }
    }

    pub(crate) fn good(&mut self, count: u64) {
        self.recorded = self.recorded.saturating_add(count);
        self.forget();
    }

    pub(crate) fn bad(&mut self) {
        self.bad.push_back(self.recorded);
        self.recorded = self.recorded.saturating_add(1);
        self.forget();
    }

    /// What is in the window, good and bad.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let bad = self.bad.len() as u64;
        ((self.recorded - self.oldest).saturating_sub(bad), bad)
    }

    /// Whether more outcomes came than the window holds.
    pub(crate) fn has_slid(&self) -> bool {
        self.recorded > self.length
    }

    pub(crate) fn clear(&mut self) {
        self.recorded = 0;
        self.oldest = 0;
        self.bad.clear();
    }

    /// Holds this many from now on; what it still knows stays.
    pub(crate) fn resize(&mut self, length: u32) {
        self.length = u64::from(length);
        self.forget();
    }

    fn forget(&mut self) {
        self.oldest = self.oldest.max(self.recorded.saturating_sub(self.length));
        while self.bad.front().is_some_and(|bad| *bad < self.oldest) {
            self.bad.pop_front();
        }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    /// The same by remembering each.
    #[derive(Default)]
    struct Plain(VecDeque<bool>);

    impl Plain {
        fn push(&mut self, bad: bool, length: usize) {
            self.0.push_back(bad);
            while self.0.len() > length {
                self.0.pop_front();
            }
        }

        fn totals(&self) -> (u64, u64) {
            let bad = self.0.iter().filter(|bad| **bad).count();
            ((self.0.len() - bad) as u64, bad as u64)
        }
    }

    #[test]
    fn it_counts_what_a_list_of_the_latest_would() {
        // A full-period generator, so that every mix comes up.
        let mut seed = 7_u32;
        let mut draw = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for length in [1, 2, 3, 7, 100] {
            let (mut latest, mut plain) = (Latest::new(length), Plain::default());
            for _ in 0..500 {
                if draw(3) == 0 {
                    latest.bad();
                    plain.push(true, length as usize);
                } else {
                    let count = draw(2 * length);
                    latest.good(u64::from(count));
                    (0..count).for_each(|_| plain.push(false, length as usize));
                }
                assert_eq!(latest.totals(), plain.totals(), "length {length}");
            }
        }
    }

    #[test]
    fn another_length_keeps_what_is_known() {
        let mut latest = Latest::new(4);
        (0..6).for_each(|_| latest.bad());
        latest.resize(6);
        assert_eq!(latest.totals(), (0, 4), "two are forgotten already");
        latest.good(2);
        assert_eq!(latest.totals(), (2, 4));
        latest.resize(3);
        assert_eq!(latest.totals(), (2, 1));
    }

    #[test]
    fn it_has_slid_once_one_was_pushed_out() {
        let mut latest = Latest::new(2);
        latest.good(2);
        assert!(!latest.has_slid());
        latest.bad();
        assert!(latest.has_slid());
        latest.clear();
        assert!(!latest.has_slid() && latest.totals() == (0, 0));
    }
}
