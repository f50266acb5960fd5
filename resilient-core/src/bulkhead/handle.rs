//! The bulkhead as calls use it: permits on the fast path, the queue behind a gate.
//!
//! # Why no wake-up and no permit gets lost
//!
//! A free permit is a number in a shard. The `gate` is zero while nobody waits and nothing is
//! owed, and only the holder of the lock writes it. Two sides meet:
//!
//! - who returns a permit first adds it to a shard, then loads the gate;
//! - who begins to wait (or shrinks the limit) first stores a gate that is not zero, then looks
//!   through the shards, all under the lock.
//!
//! Both do so in sequentially consistent order, so at least one of them sees the other: either
//! the waiter finds the permit, or the returner finds the gate and settles under the lock itself.
//! Both may: then one of them finds the shard already empty, because a permit leaves a shard only
//! by one successful exchange. Whoever settles does all there is to do (it pays what is owed,
//! then serves the queue from the front, until the shards are empty), so it matters that somebody
//! settles after the last return, not who.
//!
//! Being served is one store under the lock: the permit then belongs to the waiter, whether or
//! not its task has run since. Giving up is decided under the same lock: still in the queue, it
//! takes nothing with it; served already, it returns its permit like any other and the next
//! waiter gets it. So permits are free, owed, or held by exactly one attempt, and
//! `free + held = limit + owed` always.
//!
//! A newcomer takes from the shards only after it saw the gate at zero; with anyone waiting, it
//! goes to the end of the queue. (An acquisition that saw zero just before the first waiter came
//! may finish after it: it was there first.)

use std::fmt;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::adaptive::Meter;
use super::config::BulkheadSettings;
use super::permits::{MOST_PERMITS, Permits};
use super::queue::{Batch, Queue, Rewoken, Waiter};
use crate::name::Name;
use crate::seam::clock::Moment;
use crate::seam::serial;
use crate::seam::sync::{AtomicU64, Lock, MutexGuard, Ordering, handshake};

/// One bulkhead, shared by all calls on its dependency.
///
/// Aligned so that the counters of the `Arc` around it do not share a cache line with the words
/// that every attempt reads.
#[repr(align(128))]
pub(crate) struct BulkheadHandle {
    name: Name,
    id: u32,
    /// `waiting << 1 | owing`.
    gate: AtomicU64,
    limit: AtomicU64,
    max_queue: AtomicU64,
    /// Waiters with a smaller number were served; a copy of [`Queue::served`].
    served: AtomicU64,
    permits: Permits,
    line: Lock<Line>,
    meter: Meter,
}

/// What only the holder of the lock touches.
struct Line {
    queue: Queue,
    /// Permits that must vanish when they come back, because the limit shrank below what is held.
    owed: u64,
    settings: BulkheadSettings,
    /// What the gate says.
    gate: u64,
}

impl Line {
    fn gate(&self) -> u64 {
        count(self.queue.len()) << 1 | u64::from(self.owed > 0)
    }
}

/// The answer to one who wants a permit at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acquired {
    /// One permit, to be given back with [`BulkheadHandle::release`].
    Granted,
    /// No permit and no place in the queue.
    Full,
    /// No permit at once, but there may be a place in the queue: [`BulkheadHandle::enqueue`].
    Queue,
}

/// The limit has moved by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// All places in the queue are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueFull;

impl BulkheadHandle {
    pub(crate) fn new(name: Name, settings: BulkheadSettings) -> Self {
        let permits = Permits::new(permits(settings));
        BulkheadHandle::with_parts(name, settings, permits, Meter::new(settings.adaptive))
    }

    /// With so many shards, whatever the machine has.
    #[cfg(test)]
    pub(super) fn with_shards(name: Name, settings: BulkheadSettings, shards: usize) -> Self {
        let permits = Permits::with_count(shards, permits(settings));
        let meter = Meter::with_shards(settings.adaptive, shards);
        BulkheadHandle::with_parts(name, settings, permits, meter)
    }

    fn with_parts(name: Name, settings: BulkheadSettings, permits: Permits, meter: Meter) -> Self {
        BulkheadHandle {
            name,
            id: serial::next(),
            gate: AtomicU64::new(0),
            limit: AtomicU64::new(count(settings.max_concurrent)),
            max_queue: AtomicU64::new(count(settings.max_queue)),
            served: AtomicU64::new(0),
            permits,
            line: Lock::new(Line {
                queue: Queue::default(),
                owed: 0,
                settings,
                gate: 0,
            }),
            meter,
        }
    }

    /// The dependency it belongs to.
    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    /// Unique in this process: how a task knows that it holds this one already.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// A permit, if one is free and nobody waits for it. Ready path: one load, one exchange.
    #[inline]
    pub(crate) fn try_acquire(&self) -> Acquired {
        let gate = self.gate.load(Ordering::SeqCst);
        if gate == 0 && self.permits.take() {
            return Acquired::Granted;
        }
        self.turn_away(gate)
    }

    /// The same where nothing but a permit will do: `false`, and nothing has happened.
    #[inline]
    pub(crate) fn takes_one(&self) -> bool {
        self.gate.load(Ordering::SeqCst) == 0 && self.permits.take_own()
    }

    #[cold]
    fn turn_away(&self, gate: u64) -> Acquired {
        let max_queue = self.max_queue.load(Ordering::Relaxed);
        let waiting = gate >> 1;
        if waiting < max_queue {
            return Acquired::Queue;
        }
        if gate == 0 || max_queue > 0 {
            return Acquired::Full;
        }
        // Without a queue the gate is shut only because the limit or the queue shrank; the last
        // permit that was owed may be on its way.
        let mut batch = Batch::default();
        let mut line = self.line.lock();
        self.settle(&mut line, &mut batch);
        let granted = line.gate == 0 && self.permits.take();
        self.finish(line, batch);
        if granted {
            Acquired::Granted
        } else {
            Acquired::Full
        }
    }

    /// Joins the end of the queue. The place may be served at once; the waker is woken when it is
    /// served later.
    ///
    /// # Errors
    ///
    /// [`QueueFull`] if `max_queue` others wait.
    pub(crate) fn enqueue(&self, waker: &Waker) -> Result<Waiter, QueueFull> {
        let waker = waker.clone();
        let mut batch = Batch::default();
        let mut line = self.line.lock();
        self.settle(&mut line, &mut batch);
        if line.queue.len() >= line.settings.max_queue {
            self.finish(line, batch);
            return Err(QueueFull);
        }
        let waiter = line.queue.join(waker);
        self.settle(&mut line, &mut batch);
        let own_waker = if waiter.number < line.queue.served() {
            // Whoever calls is awake.
            batch.pop()
        } else {
            None
        };
        self.finish(line, batch);
        drop(own_waker);
        Ok(waiter)
    }

    /// Whether `waiter` was served. Once this is ready the waiter is spent and its permit is the
    /// caller's, to be given back with [`BulkheadHandle::release`].
    pub(crate) fn poll_granted(&self, waiter: &mut Waiter, cx: &mut Context<'_>) -> Poll<()> {
        if waiter.number < self.served.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        let rewoken = self.line.lock().queue.rewake(waiter, cx.waker());
        match rewoken {
            Rewoken::Served => Poll::Ready(()),
            Rewoken::Same => Poll::Pending,
            Rewoken::Replaced(before) => {
                drop(before);
                Poll::Pending
            }
        }
    }

    /// Gives up waiting and takes nothing: a permit that was granted meanwhile goes to the next.
    pub(crate) fn abandon(&self, waiter: Waiter) {
        let mut line = self.line.lock();
        let left = line.queue.leave(waiter);
        if left.is_some() {
            self.tell(&mut line);
        }
        drop(line);
        // Dropping a waker may run a task's code, so not under the lock.
        match left {
            Some(waker) => drop(waker),
            None => self.release(),
        }
    }

    /// Gives one permit back. Ready path: one exchange, one load.
    #[inline]
    pub(crate) fn release(&self) {
        self.permits.give();
        if self.gate.load(Ordering::SeqCst) != 0 {
            self.settle_now();
        }
    }

    /// How long one may wait; `None` is for as long as the call may last.
    pub(crate) fn max_wait(&self) -> Option<Duration> {
        self.line.lock().settings.max_wait
    }

    /// The limit as configured, or as it has moved by itself.
    pub(crate) fn limit(&self) -> usize {
        usize::try_from(self.limit.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// How many permits are held; a rough number while others come and go.
    pub(crate) fn in_use(&self) -> usize {
        let line = self.line.lock();
        let all = permits(line.settings) + line.owed;
        usize::try_from(all.saturating_sub(self.permits.free())).unwrap_or(usize::MAX)
    }

    /// How many wait.
    pub(crate) fn queued(&self) -> usize {
        self.line.lock().queue.len()
    }

    /// Whether the limit moves by itself, so that attempts are to be measured.
    pub(crate) fn adapts(&self) -> bool {
        self.meter.is_on()
    }

    /// An attempt that held a permit was answered after so long, or dropped (`None`). Takes no lock
    /// that others want, but once per window.
    ///
    /// The permits that are free say how many attempts there are: too few while the limit shrinks,
    /// when all of it is in use anyway.
    pub(crate) fn measured(&self, answered: Option<Duration>, now: Moment) -> Option<Moved> {
        let moved = self.move_limit(now);
        let limit = self.limit.load(Ordering::Relaxed);
        let inflight = || limit.saturating_sub(self.permits.free());
        self.meter.take(answered, limit, inflight);
        moved
    }

    fn move_limit(&self, now: Moment) -> Option<Moved> {
        let (limit, held) = self.meter.end_window(now)?;
        let to = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut batch = Batch::default();
        let mut line = self.line.lock();
        let from = line.settings.max_concurrent;
        if from != to {
            let settings = BulkheadSettings {
                max_concurrent: to,
                ..line.settings
            };
            self.resize(&mut line, settings, &mut batch);
        }
        drop(held);
        self.finish(line, batch);
        (from != to).then_some(Moved { from, to })
    }

    /// Takes other numbers while running. A higher limit serves waiters at once; a lower one
    /// takes effect as permits come back, before anyone new gets one. Who waits already keeps
    /// waiting, even in a queue that became shorter. A limit that moves by itself stays where it
    /// is, as far as it is within its new bounds.
    pub(crate) fn reconfigure(&self, settings: BulkheadSettings) {
        let (limit, held) = self.meter.reconfigure(settings.adaptive);
        let max_concurrent = limit.map_or(settings.max_concurrent, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        let settings = BulkheadSettings {
            max_concurrent,
            ..settings
        };
        let mut batch = Batch::default();
        let mut line = self.line.lock();
        self.resize(&mut line, settings, &mut batch);
        drop(held);
        self.finish(line, batch);
    }

    fn resize(&self, line: &mut Line, settings: BulkheadSettings, batch: &mut Batch) {
        let (before, after) = (permits(line.settings), permits(settings));
        if let Some(more) = after.checked_sub(before) {
            let kept = more.min(line.owed);
            line.owed -= kept;
            self.permits.add(more - kept);
        } else {
            line.owed += before - after;
        }
        line.settings = settings;
        self.limit
            .store(count(settings.max_concurrent), Ordering::Relaxed);
        self.max_queue
            .store(count(settings.max_queue), Ordering::Relaxed);
        self.settle(line, batch);
    }

    #[cold]
    fn settle_now(&self) {
        let mut batch = Batch::default();
        let mut line = self.line.lock();
        self.settle(&mut line, &mut batch);
        self.finish(line, batch);
    }

    /// Pays what is owed, then serves the queue, with the permits that are free; stops early when
    /// the batch is full.
    fn settle(&self, line: &mut Line, batch: &mut Batch) {
        if line.gate() == 0 {
            self.tell(line);
            return;
        }
        // A gate that is shut already was stored before some earlier look through the shards,
        // and every return since then has seen it.
        if line.gate == 0 {
            self.tell(line);
            handshake();
        }
        let to_serve = line.queue.len().min(batch.room());
        let found = self.permits.take_up_to(line.owed + count(to_serve));
        let paid = found.min(line.owed);
        line.owed -= paid;
        for _ in paid..found {
            if let Some(waker) = line.queue.serve() {
                batch.push(waker);
            }
        }
        if found > paid {
            self.served.store(line.queue.served(), Ordering::Release);
        }
        self.tell(line);
    }

    /// Brings the gate up to date.
    fn tell(&self, line: &mut Line) {
        let gate = line.gate();
        if gate != line.gate {
            line.gate = gate;
            self.gate.store(gate, Ordering::SeqCst);
        }
    }

    /// Unlocks, wakes who was served, and goes on if the batch was too small for all.
    fn finish(&self, line: MutexGuard<'_, Line>, mut batch: Batch) {
        drop(line);
        loop {
            let more = batch.room() == 0;
            batch.wake();
            if !more {
                return;
            }
            batch = Batch::default();
            self.settle(&mut self.line.lock(), &mut batch);
        }
    }
}

impl fmt::Debug for BulkheadHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkheadHandle")
            .field("name", &self.name)
            .field("limit", &self.limit())
            .field("in_use", &self.in_use())
            .field("queued", &self.queued())
            .finish_non_exhaustive()
    }
}

/// The permits that exist under `settings` while nothing is owed.
fn permits(settings: BulkheadSettings) -> u64 {
    count(settings.max_concurrent).min(MOST_PERMITS)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
