//! One breaker, shared by all calls.

mod orders;

use std::fmt;
use std::time::Duration;

use super::announce::{Announcer, Guarded, Whose, tell};
use super::engine::{Engine, FIRST_GENERATION, retry_in};
use super::instances::Instances;
use super::key::BreakerKey;
use super::published::Published;
use super::settings::{BreakerSettings, Per};
use super::ticket::{Refusal, Ticket, Verdict};
use super::transition::Transition;
use super::{BreakerSnapshot, BreakerState};
use crate::name::Name;
use crate::seam::clock::{Moment, now};
use crate::seam::random::Random;
use crate::seam::sync::{Arc, AtomicU32, AtomicU64, Lock, MutexGuard, Ordering};
use crate::window::Tally;

/// One breaker, shared by all calls.
///
/// While it is closed, admitting a call is one load, and a success that changes nothing but a
/// count is one more and an addition to a counter of the thread's own; a refusal while it is open
/// is two loads and a clock reading. Everything else takes the lock.
pub(crate) struct BreakerHandle {
    pub(super) published: Published,
    tally: Tally,
    pub(super) guarded: Lock<Guarded>,
    /// Panics of bodies, which are no verdict on the dependency.
    pub(super) panics: AtomicU64,
    /// Calls that were admitted because the breaker only observes.
    pub(super) would_have_refused: AtomicU64,
    pub(super) whose: Whose,
    pub(super) random: Random,
    pub(super) announcer: Announcer,
    /// Those of the keys, behind the one of a dependency.
    pub(super) instances: Lock<Instances>,
}

impl BreakerHandle {
    pub(crate) fn new(
        name: Name,
        settings: BreakerSettings,
        random: Random,
        announcer: Announcer,
    ) -> Arc<Self> {
        let tally = Tally::new(FIRST_GENERATION);
        BreakerHandle::with_tally(name, settings, random, announcer, tally)
    }

    /// For models, whose number of shards must not depend on the machine.
    pub(super) fn with_tally(
        name: Name,
        settings: BreakerSettings,
        random: Random,
        announcer: Announcer,
        tally: Tally,
    ) -> Arc<Self> {
        let engine = Engine::new(settings, now());
        BreakerHandle::with_engine(Whose::of(name), engine, random, announcer, tally)
    }

    pub(super) fn with_engine(
        whose: Whose,
        engine: Engine,
        random: Random,
        announcer: Announcer,
        tally: Tally,
    ) -> Arc<Self> {
        let handle = BreakerHandle {
            published: Published::new(next_id(), engine.view()),
            tally,
            instances: Lock::new(Instances::new(engine.settings())),
            guarded: Lock::new(Guarded::new(engine)),
            panics: AtomicU64::new(0),
            would_have_refused: AtomicU64::new(0),
            whose,
            random,
            announcer,
        };
        handle
            .published
            .publish_settings(handle.guarded.lock().engine.settings());
        Arc::new(handle)
    }

    /// Tells breakers apart, whatever they are called.
    pub(crate) fn id(&self) -> u32 {
        self.published.id
    }

    /// The dependency it guards.
    pub(crate) fn name(&self) -> &Name {
        &self.whose.dependency
    }

    /// Which of the dependency's many it guards.
    pub(crate) fn key(&self) -> Option<&BreakerKey> {
        self.whose.key.as_ref()
    }

    /// What a call that may not go on is told; nothing is admitted.
    pub(crate) fn refusal(&self) -> Refusal {
        let until = self.published.until();
        Refusal {
            state: self.published.word().state(),
            retry_in: until.map_or(0, |until| retry_in(until, now())),
        }
    }

    /// Admits a call while that is all there is to do. Otherwise nothing has happened, and
    /// [`BreakerHandle::admit`] says what will.
    #[inline]
    pub(crate) fn admit_at_once(&self) -> Option<Ticket> {
        let word = self.published.word();
        word.admits_quietly()
            .then(|| Ticket::new(word.generation()))
    }

    /// Admits a call, or says when to come back. A probe loses its slot when it has run for its
    /// attempt's timeout and a second more; without a timeout, for the breaker's open time.
    pub(crate) fn admit(&self, attempt_timeout: Option<Duration>) -> Result<Ticket, Refusal> {
        let word = self.published.word();
        if word.admits_all() {
            if word.would_refuse() {
                return Ok(self.admit_observed());
            }
            return Ok(Ticket::new(word.generation()));
        }
        self.admit_or_refuse(attempt_timeout)
    }

    /// Admits a call that an enabled breaker would refuse, unless its open time is over.
    #[cold]
    fn admit_observed(&self) -> Ticket {
        let now = now();
        self.tick(now);
        let word = self.published.word();
        if word.would_refuse() {
            self.would_have_refused.fetch_add(1, Ordering::Relaxed);
        }
        Ticket::new(word.generation())
    }

    /// Refuses a call while there is nothing else to do, with the clock's reading at hand.
    #[expect(
        clippy::inline_always,
        reason = "what is returned through memory the processor has to wait for"
    )]
    #[inline(always)]
    pub(crate) fn refuses(&self, now: impl FnOnce() -> Moment) -> Option<Refusal> {
        let word = self.published.word();
        if word.admits_all() {
            return None;
        }
        let (until, now) = (self.published.until()?, now());
        (until > now).then(|| Refusal {
            state: word.state(),
            retry_in: retry_in(until, now),
        })
    }

    #[cold]
    fn admit_or_refuse(&self, attempt_timeout: Option<Duration>) -> Result<Ticket, Refusal> {
        let now = now();
        if let Some(refusal) = self.refuses(|| now) {
            return Err(refusal);
        }
        self.locked(now, |engine| engine.admit(now, attempt_timeout))
    }

    /// Whether a call that was admitted with `ticket` may start another attempt without being
    /// admitted again: a probe may not, and others only while the breaker admits every call. A call
    /// without a ticket is part of one that was admitted, and may do no more than that one.
    ///
    /// There is no generation to compare: a call that is no probe was admitted when the breaker
    /// admitted every call, and a change that ended that began a new generation.
    pub(crate) fn may_continue(&self, ticket: Option<Ticket>) -> bool {
        !ticket.is_some_and(Ticket::is_probe) && self.published.word().admits_all()
    }

    /// Whether a call that stood in a queue since it was admitted with `ticket` may run now. A
    /// probe's lease starts here, if it has not lost its slot.
    pub(crate) fn may_start(&self, ticket: Ticket, attempt_timeout: Option<Duration>) -> bool {
        if !ticket.is_probe() {
            return self.may_continue(Some(ticket));
        }
        let now = now();
        self.locked(now, |engine| engine.renew(ticket, now, attempt_timeout))
    }

    /// Takes the verdict on an admitted call, and reads the clock if need be.
    #[inline(never)]
    pub(crate) fn record(&self, ticket: Ticket, verdict: Verdict) {
        if self.needs_engine(ticket, verdict) {
            self.tell_engine(ticket, verdict, now());
        }
    }

    /// The same, with a clock reading at hand.
    pub(crate) fn record_at(&self, ticket: Ticket, verdict: Verdict, now: Moment) {
        if self.needs_engine(ticket, verdict) {
            self.tell_engine(ticket, verdict, now);
        }
    }

    #[inline(never)]
    fn tell_engine(&self, ticket: Ticket, verdict: Verdict, now: Moment) {
        let mut guarded = self.guarded.lock();
        let dates_anew = guarded.engine.date(self.tally.drain(), now);
        // Most failures of a dependency that is well: what calls read stays as it is.
        if !dates_anew && guarded.engine.merely_counts(ticket, verdict, now) {
            return;
        }
        self.act(guarded, now, |engine| {
            engine.record(ticket, verdict, now, || self.random.unit());
        });
    }

    /// Takes a success that changes nothing but a count, or is too old to do even that; `false` if it
    /// is to be recorded.
    #[inline]
    pub(crate) fn tallies(&self, ticket: Ticket) -> bool {
        let word = self.published.word();
        if word.generation() != ticket.generation() {
            return true;
        }
        if word.heeds_success() {
            return false;
        }
        if word.counts_success() && self.tally.add(ticket.generation()) {
            self.look_again(ticket);
        }
        true
    }

    /// Does what can be done without the engine, and says whether that was not all.
    fn needs_engine(&self, ticket: Ticket, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Success => !self.tallies(ticket),
            // Slow ones are not tallied: there is a count of them, and they were slow anyway.
            Verdict::SlowSuccess | Verdict::Failure | Verdict::SlowFailure => {
                let word = self.published.word();
                word.heeds_failure() && word.generation() == ticket.generation()
            }
            Verdict::Panicked => {
                self.panics.fetch_add(1, Ordering::Relaxed);
                // A failure of a probe, and of what would be one.
                ticket.is_probe() || self.published.word().state() == BreakerState::Observing
            }
            Verdict::Neutral => ticket.is_probe(),
        }
    }

    /// A failure may have made the engine heed successes while this one was being tallied. Either
    /// it has found this one in the tally, or it is seen here.
    #[inline]
    fn look_again(&self, ticket: Ticket) {
        let word = self.published.word();
        if word.heeds_success() && word.generation() == ticket.generation() {
            self.judge_tallied(ticket);
        }
    }

    #[cold]
    fn judge_tallied(&self, ticket: Ticket) {
        let now = now();
        self.locked(now, |engine| {
            if engine.generation() == ticket.generation() {
                engine.judge_tallied(now, || self.random.unit());
            }
        });
    }

    /// Says that a clock reading is at hand: tallied successes get their date, once in a while,
    /// and a forced state may end.
    pub(crate) fn tick(&self, now: Moment) {
        if self.published.takes_tick(now) {
            self.locked(now, |engine| engine.tick(now));
        }
    }

    /// What the breaker does with calls now. Reading it takes no probe's slot; a breaker whose
    /// open time is over is open until a call makes it half-open.
    pub(crate) fn state(&self) -> BreakerState {
        let word = self.published.word();
        let state = word.state();
        let ends = !matches!(
            state,
            BreakerState::Closed | BreakerState::Open | BreakerState::HalfOpen
        );
        if ends
            && let Some(until) = self.published.until()
            && until != Moment::NEVER
        {
            let now = now();
            if until <= now {
                return self.locked(now, |engine| {
                    engine.tick(now);
                    engine.state()
                });
            }
        }
        state
    }

    /// The last change of state, and when it was.
    pub(crate) fn last_transition(&self) -> Option<(Transition, Moment)> {
        self.guarded.lock().last()
    }

    /// State and counts now, with those of all keys.
    pub(crate) fn snapshot(&self, now: Moment) -> BreakerSnapshot {
        let mut snapshot = self.own_snapshot(now);
        self.add_instances(&mut snapshot, now);
        snapshot
    }

    pub(super) fn own_snapshot(&self, now: Moment) -> BreakerSnapshot {
        let panics = self.panics.load(Ordering::Relaxed);
        let would_have_refused = self.would_have_refused.load(Ordering::Relaxed);
        self.locked(now, |engine| {
            let now = engine.tick(now);
            let counts = engine.counts(now);
            let (reason, until) = engine.forced();
            BreakerSnapshot {
                state: engine.state(),
                generation: engine.generation(),
                reason,
                forced_for: until
                    .filter(|until| *until != Moment::NEVER)
                    .map(|until| until.since(now)),
                failures: counts.failures,
                slow: counts.slow,
                attempts: counts.attempts,
                panics,
                would_have_refused,
                keys: 0,
                keys_refusing: 0,
            }
        })
    }

    /// Goes by other numbers; state and counts stay.
    pub(crate) fn reconfigure(&self, settings: BreakerSettings) {
        let now = now();
        self.locked(now, |engine| {
            self.published.publish_settings(&settings);
            engine.reconfigure(settings, now);
        });
        self.reconfigure_instances(now);
    }

    /// Whether a throttled attempt is a failure.
    pub(crate) fn count_throttled(&self) -> bool {
        self.published.count_throttled()
    }

    /// How long an attempt must have run for its drop to be a failure, if that was set.
    pub(crate) fn drop_counts_after(&self) -> Option<Duration> {
        self.published.drop_counts_after()
    }

    /// How long an attempt takes that is not slow, if the breaker asks.
    pub(crate) fn slow_after(&self) -> Option<Duration> {
        self.published.slow_after()
    }

    /// What one verdict is about.
    pub(crate) fn per(&self) -> Per {
        self.published.per()
    }

    /// Lets `act` change the engine, publishes what came of it, and tells the changes.
    pub(super) fn locked<R>(&self, now: Moment, act: impl FnOnce(&mut Engine) -> R) -> R {
        let mut guarded = self.guarded.lock();
        guarded.engine.date(self.tally.drain(), now);
        self.act(guarded, now, act)
    }

    fn act<R>(
        &self,
        mut guarded: MutexGuard<'_, Guarded>,
        now: Moment,
        act: impl FnOnce(&mut Engine) -> R,
    ) -> R {
        let result = act(&mut guarded.engine);
        self.publish(&mut guarded.engine, now);
        let must_tell = guarded.take_over_telling();
        drop(guarded);
        if must_tell {
            tell(&self.guarded, &self.whose, &self.announcer);
        }
        result
    }

    fn publish(&self, engine: &mut Engine, now: Moment) {
        loop {
            let before = self.published.word();
            let view = engine.view();
            // The tally first: whoever sees the new generation must be able to count for it.
            if view.word.generation() != before.generation() {
                self.tally.restart(view.word.generation());
            }
            self.published.publish(view);
            let begins_to_heed = view.word.heeds_success() && !before.heeds_success();
            if !(begins_to_heed && view.word.counts_success()) {
                return;
            }
            // Successes that saw the old word are in the tally by now, or will look again.
            let missed = self.tally.drain_in_order();
            if missed == 0 {
                return;
            }
            engine.date(missed, now);
            engine.judge_tallied(now, || self.random.unit());
        }
    }
}

impl fmt::Debug for BreakerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BreakerHandle")
            .field("name", self.name())
            .field("key", &self.key())
            .field("state", &self.published.word().state())
            .finish_non_exhaustive()
    }
}

#[cfg(not(loom))]
fn next_id() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(loom)]
fn next_id() -> u32 {
    loom::lazy_static! {
        static ref NEXT: AtomicU32 = AtomicU32::new(0);
    }
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
