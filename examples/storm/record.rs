//! What happened, second by second.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// One second of the story.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Second {
    /// Calls that began in it.
    pub(crate) calls: u32,
    /// Those of them that succeeded in the end.
    pub(crate) succeeded: u32,
    /// Calls that succeeded in it, whenever they began.
    pub(crate) answered: u32,
    /// Requests that reached the service in it.
    pub(crate) attempts: u32,
    /// Breakers that opened in it, failed probes not counted.
    pub(crate) openings: u32,
}

#[derive(Debug)]
pub(crate) struct Record {
    began: Instant,
    measured: std::ops::Range<usize>,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    seconds: Vec<Second>,
    /// How long the measured calls took, by milliseconds.
    waits: Vec<u32>,
}

impl Record {
    /// Of a story of so many seconds that begins now; how long calls take is recorded of those
    /// that begin in the seconds `measured`.
    pub(crate) fn new(seconds: usize, measured: std::ops::Range<usize>) -> Self {
        Record {
            began: Instant::now(),
            measured,
            counts: Mutex::new(Counts {
                seconds: vec![Second::default(); seconds],
                waits: Vec::new(),
            }),
        }
    }

    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    pub(crate) fn attempted(&self) {
        self.count(Instant::now(), |second| second.attempts += 1);
    }

    pub(crate) fn opened(&self) {
        self.count(Instant::now(), |second| second.openings += 1);
    }

    pub(crate) fn called(&self, at: Instant) {
        self.count(at, |second| second.calls += 1);
    }

    pub(crate) fn ended(&self, called: Instant, succeeded: bool) {
        let now = Instant::now();
        if succeeded {
            self.count(called, |second| second.succeeded += 1);
            self.count(now, |second| second.answered += 1);
        }
        if self.measured.contains(&self.second(called)) {
            let waits = &mut self.counts().waits;
            let wait = index((now - called).as_millis());
            if waits.len() <= wait {
                waits.resize(wait + 1, 0);
            }
            waits[wait] += 1;
        }
    }

    /// The seconds so far, and the time that 99 % of the measured calls took at most.
    pub(crate) fn take(&self) -> (Vec<Second>, Duration) {
        let counts = std::mem::take(&mut *self.counts());
        let all: u32 = counts.waits.iter().sum();
        let mut left = all - all / 100;
        let p99 = counts.waits.iter().position(|&count| {
            left = left.saturating_sub(count);
            left == 0
        });
        let millis = u64::try_from(p99.unwrap_or(0)).unwrap_or(u64::MAX);
        (counts.seconds, Duration::from_millis(millis))
    }

    fn count(&self, at: Instant, add: impl FnOnce(&mut Second)) {
        let second = self.second(at);
        if let Some(second) = self.counts().seconds.get_mut(second) {
            add(second);
        }
    }

    fn second(&self, at: Instant) -> usize {
        index((at - self.began).as_secs().into())
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn index(number: u128) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
