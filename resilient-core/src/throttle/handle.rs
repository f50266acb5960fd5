//! The throttle as calls use it.

use std::fmt;

use super::config::ThrottleSettings;
use super::engine::Engine;
use crate::class::Class;
use crate::name::Name;
use crate::seam::clock::{self, Moment};
use crate::seam::random::Random;
use crate::seam::serial;
use crate::seam::sync::{AtomicU64, Lock, Ordering};
use crate::window::Tally;

/// The tally is never restarted, so it has one generation.
const GENERATION: u32 = 0;

/// No share that could be shed: there is no throttle.
const OFF: u64 = u64::MAX;

/// The bits of the share that sheds nothing.
const NOTHING: u64 = 0;

/// One throttle, shared by all calls on its dependency; or none, until it is configured.
///
/// While nothing is shed, asking is one load, and an accepted attempt is an addition to a counter
/// of the thread's own; without a throttle both are one load. Only failures, and whatever happens
/// while something is shed, read the clock and take the lock. Aligned so that the counters of the
/// `Arc` around it do not share a cache line with the word that every attempt reads.
#[repr(align(128))]
pub(crate) struct ThrottleHandle {
    /// The bits of the probability with which attempts are shed, as of the last time somebody
    /// looked, or [`OFF`]. Written under the lock.
    share: AtomicU64,
    id: u32,
    /// Accepted attempts nobody has dated yet.
    accepted: Tally,
    /// When [`ThrottleHandle::tick`] next counts them in.
    fold_at: AtomicU64,
    name: Name,
    engine: Lock<Option<Engine>>,
}

/// The attempt is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shed {
    /// How many of a hundred are shed now, 1 to 100.
    pub(crate) percent: u8,
}

impl ThrottleHandle {
    /// Nothing asked yet.
    pub(crate) fn new(name: Name, settings: Option<ThrottleSettings>) -> Self {
        ThrottleHandle {
            share: AtomicU64::new(settings.map_or(OFF, |_| NOTHING)),
            id: serial::next(),
            accepted: Tally::new(GENERATION),
            fold_at: AtomicU64::new(0),
            name,
            engine: Lock::new(settings.map(|settings| Engine::new(settings, clock::now()))),
        }
    }

    /// Tells throttles apart, whatever they are called.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The dependency it belongs to.
    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    /// Whether there is a throttle.
    pub(crate) fn is_on(&self) -> bool {
        self.share.load(Ordering::Relaxed) != OFF
    }

    /// Lets an attempt through, or sheds it.
    pub(crate) fn admit(&self, random: &Random) -> Result<(), Shed> {
        match self.share.load(Ordering::Relaxed) {
            OFF | NOTHING => Ok(()),
            _ => self.draw(random),
        }
    }

    #[cold]
    fn draw(&self, random: &Random) -> Result<(), Shed> {
        let unit = random.unit();
        self.with_engine(clock::now(), |engine, now| {
            let share = engine.share(now);
            if unit >= share {
                return Ok(());
            }
            engine.missed(now);
            Err(Shed {
                percent: percent(share),
            })
        })
        .unwrap_or(Ok(()))
    }

    /// An attempt came back with an outcome of this class. Reads no clock and takes no lock if it
    /// was accepted.
    pub(crate) fn heard(&self, class: Class) {
        if !self.is_on() {
            return;
        }
        match class {
            Class::Success | Class::Permanent => {
                self.accepted.add(GENERATION);
            }
            Class::Transient { .. } | Class::Throttled { .. } | Class::Fault => {
                self.missed(clock::now());
            }
            Class::Ignored => {}
        }
    }

    /// An attempt was not accepted.
    pub(crate) fn missed(&self, now: Moment) {
        if self.is_on() {
            self.with_engine(now, Engine::missed);
        }
    }

    /// A clock reading is at hand: counts in the answers that nobody has dated, once per tenth of
    /// the window.
    pub(crate) fn tick(&self, now: Moment) {
        if !self.is_on() {
            return;
        }
        let fold_at = self.fold_at.load(Ordering::Relaxed);
        if now.to_bits() < fold_at {
            return;
        }
        // One thread is enough; the others go on.
        let claimed = self.fold_at.compare_exchange(
            fold_at,
            Moment::NEVER.to_bits(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if claimed.is_ok() {
            self.with_engine(now, |engine, now| {
                let next = now.plus(engine.patience());
                self.fold_at.store(next.to_bits(), Ordering::Relaxed);
            });
        }
    }

    /// Takes other numbers while running. Counts stay; a throttle where none was starts anew.
    pub(crate) fn reconfigure(&self, settings: Option<ThrottleSettings>) {
        let now = clock::now();
        let mut engine = self.engine.lock();
        match (settings, &mut *engine) {
            (None, _) => *engine = None,
            (Some(settings), Some(engine)) => engine.reconfigure(settings),
            (Some(settings), None) => {
                self.accepted.drain();
                *engine = Some(Engine::new(settings, now));
            }
        }
        let share = engine
            .as_mut()
            .map_or(OFF, |engine| engine.share(now).to_bits());
        self.share.store(share, Ordering::Relaxed);
        self.fold_at.store(0, Ordering::Relaxed);
    }

    /// Brings the engine up to date, changes it, and publishes what it sheds from then on. Nothing
    /// if there is no throttle any more.
    fn with_engine<R>(
        &self,
        now: Moment,
        change: impl FnOnce(&mut Engine, Moment) -> R,
    ) -> Option<R> {
        let mut engine = self.engine.lock();
        let engine = engine.as_mut()?;
        engine.fold(now, self.accepted.drain());
        let result = change(engine, now);
        let share = engine.share(now);
        self.share.store(share.to_bits(), Ordering::Relaxed);
        Some(result)
    }

    /// The probability with which attempts are shed now.
    pub(crate) fn share(&self, now: Moment) -> Option<f64> {
        self.with_engine(now, Engine::share)
    }
}

impl fmt::Debug for ThrottleHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThrottleHandle")
            .field("name", &self.name)
            .field("on", &self.is_on())
            .finish_non_exhaustive()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is between 0 and 1"
)]
fn percent(share: f64) -> u8 {
    (share * 100.0).ceil() as u8
}
