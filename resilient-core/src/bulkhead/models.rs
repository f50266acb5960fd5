//! The handshake of gate and shards under every schedule: `RUSTFLAGS="--cfg loom"`.
//!
//! Nobody blocks in these models. A lost wake-up shows as a waiter that is not served although
//! every permit has come back.

use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicUsize, Ordering as StdOrdering};
use std::task::{Context, Wake, Waker};

use loom::sync::Arc;
use loom::thread;

use super::{Acquired, Adaptive, Bulkhead, BulkheadHandle, BulkheadSettings, Moved, Waiter};
use crate::name::Name;
use crate::seam::clock::Moment;

fn settings(limit: usize, queue: usize) -> BulkheadSettings {
    Bulkhead::max_concurrent(limit)
        .max_queue(queue)
        .settings()
        .expect("the numbers are good")
}

fn handle(limit: usize, queue: usize, shards: usize) -> Arc<BulkheadHandle> {
    let name = Name::new("payment").expect("the name is good");
    Arc::new(BulkheadHandle::with_shards(
        name,
        settings(limit, queue),
        shards,
    ))
}

/// Not one of loom's: nothing in a model waits for it.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: StdArc<Self>) {
        self.0.fetch_add(1, StdOrdering::SeqCst);
    }
}

fn served(bulkhead: &BulkheadHandle, waiter: &mut Waiter) -> bool {
    bulkhead
        .poll_granted(waiter, &mut Context::from_waker(Waker::noop()))
        .is_ready()
}

/// Everything is back where it was.
fn at_rest(bulkhead: &BulkheadHandle, limit: usize) {
    assert_eq!((bulkhead.in_use(), bulkhead.queued()), (0, 0));
    for _ in 0..limit {
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
    }
    assert_ne!(bulkhead.try_acquire(), Acquired::Granted);
}

/// A permit that comes back while somebody begins to wait reaches the waiter: it finds it at once, or is
/// woken.
#[test]
fn k1_hand_over_reaches_the_waiter() {
    loom::model(|| {
        let bulkhead = handle(1, 1, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let woken = StdArc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let waits = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || {
                let mut waiter = bulkhead.enqueue(&waker).expect("there is room");
                // Served before it looked, or to be woken.
                let at_once = bulkhead
                    .poll_granted(&mut waiter, &mut Context::from_waker(&waker))
                    .is_ready();
                (waiter, at_once)
            }
        });
        bulkhead.release();
        let (mut waiter, at_once) = waits.join().expect("no panic");
        assert!(at_once || woken.0.load(StdOrdering::SeqCst) == 1);
        assert!(served(&bulkhead, &mut waiter));
        assert_eq!(bulkhead.in_use(), 1);
        bulkhead.release();
        at_rest(&bulkhead, 1);
    });
}

/// Two permits that come back at once serve both who wait, whichever return settles.
#[test]
fn k1_two_returns_serve_two_waiters() {
    loom::model(|| {
        let bulkhead = handle(2, 2, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let mut first = bulkhead.enqueue(Waker::noop()).expect("there is room");
        let returns = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || bulkhead.release()
        });
        let mut second = bulkhead.enqueue(Waker::noop()).expect("there is room");
        bulkhead.release();
        returns.join().expect("no panic");
        assert!(served(&bulkhead, &mut first));
        assert!(served(&bulkhead, &mut second));
        bulkhead.release();
        bulkhead.release();
        at_rest(&bulkhead, 2);
    });
}

/// One permit that moves between the shards of two threads is held by one of them at most, and is there
/// in the end.
#[test]
fn k1_stealing_neither_loses_nor_doubles() {
    loom::model(|| {
        let bulkhead = handle(1, 0, 2);
        let running = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
        let call = |bulkhead: &BulkheadHandle, running: &loom::sync::atomic::AtomicUsize| {
            if bulkhead.try_acquire() == Acquired::Granted {
                let before = running.fetch_add(1, loom::sync::atomic::Ordering::SeqCst);
                assert_eq!(before, 0, "two at a time");
                running.fetch_sub(1, loom::sync::atomic::Ordering::SeqCst);
                bulkhead.release();
            }
        };
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (bulkhead, running) = (bulkhead.clone(), running.clone());
                thread::spawn(move || call(&bulkhead, &running))
            })
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        at_rest(&bulkhead, 1);
    });
}

/// A newcomer that takes the permit just before the waiter came gives it back to the waiter.
#[test]
fn k1_a_newcomer_and_a_waiter_share_one_permit() {
    loom::model(|| {
        let bulkhead = handle(1, 1, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let newcomer = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || {
                if bulkhead.try_acquire() == Acquired::Granted {
                    bulkhead.release();
                }
            }
        });
        let waits = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || bulkhead.enqueue(Waker::noop()).expect("there is room")
        });
        bulkhead.release();
        newcomer.join().expect("no panic");
        let mut waiter = waits.join().expect("no panic");
        assert!(served(&bulkhead, &mut waiter));
        bulkhead.release();
        at_rest(&bulkhead, 1);
    });
}

/// One who gives up while being served passes the permit on to the next.
#[test]
fn c03_giving_up_while_being_served_passes_the_permit_on() {
    loom::model(|| {
        let bulkhead = handle(1, 2, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let quitter = bulkhead.enqueue(Waker::noop()).expect("there is room");
        let mut next = bulkhead.enqueue(Waker::noop()).expect("there is room");
        let quits = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || bulkhead.abandon(quitter)
        });
        bulkhead.release();
        quits.join().expect("no panic");
        assert!(served(&bulkhead, &mut next));
        bulkhead.release();
        at_rest(&bulkhead, 1);
    });
}

/// The last one to wait leaves while a permit comes back: the gate opens again and the permit is free.
#[test]
fn k1_the_last_waiter_leaves_while_a_permit_comes_back() {
    loom::model(|| {
        let bulkhead = handle(1, 1, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let returns = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || bulkhead.release()
        });
        let waiter = bulkhead.enqueue(Waker::noop()).expect("there is room");
        bulkhead.abandon(waiter);
        returns.join().expect("no panic");
        at_rest(&bulkhead, 1);
    });
}

/// A limit that shrinks while permits come back collects as many as it has shrunk by.
#[test]
fn k1_shrinking_collects_exactly_what_is_owed() {
    loom::model(|| {
        let bulkhead = handle(2, 0, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let returns = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || bulkhead.release()
        });
        bulkhead.reconfigure(settings(1, 0));
        bulkhead.release();
        returns.join().expect("no panic");
        at_rest(&bulkhead, 1);
    });
}

/// A newcomer that finds the gate shut by the last permit that is owed, and then that it has been paid,
/// gets a permit that is there, or none.
#[test]
fn k1_a_newcomer_while_the_last_owed_permit_comes_back() {
    loom::model(|| {
        let bulkhead = handle(2, 0, 2);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        bulkhead.reconfigure(settings(1, 0));
        let returns = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || {
                bulkhead.release();
                bulkhead.release();
            }
        });
        if bulkhead.try_acquire() == Acquired::Granted {
            bulkhead.release();
        }
        returns.join().expect("no panic");
        at_rest(&bulkhead, 1);
    });
}

/// Shrinking is as exact for a limit that moves by itself.
#[test]
fn a1_a_limit_that_moves_by_itself_is_as_exact() {
    loom::model(|| {
        let adaptive = Adaptive::aimd(1..=2).initial(2).window("1ms");
        let settings = Bulkhead::adaptive(adaptive).settings();
        let name = Name::new("payment").expect("the name is good");
        let settings = settings.expect("the numbers are good");
        let bulkhead = Arc::new(BulkheadHandle::with_shards(name, settings, 2));
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        for _ in 0..2 {
            assert_eq!(bulkhead.measured(None, Moment::at_millis(0)), None);
        }
        let moves = thread::spawn({
            let bulkhead = bulkhead.clone();
            move || {
                let moved = bulkhead.measured(None, Moment::at_millis(1));
                bulkhead.release();
                moved
            }
        });
        bulkhead.release();
        let moved = moves.join().expect("no panic");
        assert_eq!(moved, Some(Moved { from: 2, to: 1 }));
        at_rest(&bulkhead, 1);
    });
}
