//! Rule K1 with a list of who waits and a number of those who run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Acquired, Bulkhead, BulkheadHandle, BulkheadSettings, Waiter};
use crate::name::Name;
use crate::reference::play_all;

#[derive(Clone, Debug)]
enum Does {
    /// A newcomer, who queues if there is a queue.
    Call,
    /// One who goes straight to the queue.
    Queue,
    /// The end of one that runs.
    End(usize),
    /// One of those who wait gives up.
    Leave(usize),
    /// Some at once, as a burst or the end of one is.
    Ends(usize),
    Reconfigure(usize, usize),
}

/// `max_concurrent` is exact; `max_queue` wait in order of arrival; a newcomer never overtakes.
struct Model {
    limit: usize,
    places: usize,
    running: Vec<u32>,
    waiting: VecDeque<u32>,
}

impl Model {
    fn has_room(&self) -> bool {
        self.running.len() < self.limit && self.waiting.is_empty()
    }

    fn serve(&mut self) {
        while self.running.len() < self.limit
            && let Some(first) = self.waiting.pop_front()
        {
            self.running.push(first);
        }
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// One who waited at first.
struct Waits {
    call: u32,
    waiter: Waiter,
    woken: Arc<Woken>,
    at_once: bool,
}

fn settings(limit: usize, queue: usize) -> BulkheadSettings {
    let bulkhead = Bulkhead::max_concurrent(limit).max_queue(queue);
    bulkhead.settings().expect("the numbers are good")
}

#[test]
fn k1_the_bulkhead_does_what_the_list_does() {
    let does = prop_oneof![
        12 => Just(Does::Call),
        1 => Just(Does::Queue),
        8 => (0..8_usize).prop_map(Does::End),
        3 => (0..8_usize).prop_map(Does::Leave),
        1 => (0..20_usize).prop_map(Does::Ends),
        2 => (1..8_usize, 0..20_usize).prop_map(|(limit, places)| Does::Reconfigure(limit, places)),
    ];
    let scripts = (1..8_usize, 0..20_usize, 1..5_usize, vec(does, 1..120));
    play_all(scripts, |(limit, places, shards, script)| {
        let name = Name::new("payment").expect("the name is good");
        let bulkhead = BulkheadHandle::with_shards(name, settings(limit, places), shards);
        let mut model = Model {
            limit,
            places,
            running: Vec::new(),
            waiting: VecDeque::new(),
        };
        let mut queued: Vec<Waits> = Vec::new();
        for (call, does) in (0..).zip(script) {
            match does {
                Does::Call => {
                    let acquired = bulkhead.try_acquire();
                    if model.has_room() {
                        prop_assert_eq!(acquired, Acquired::Granted);
                        model.running.push(call);
                    } else if model.waiting.len() >= model.places {
                        prop_assert_eq!(acquired, Acquired::Full);
                    } else {
                        prop_assert_eq!(acquired, Acquired::Queue);
                        queue(&bulkhead, &mut model, &mut queued, call)?;
                    }
                }
                Does::Queue => queue(&bulkhead, &mut model, &mut queued, call)?,
                Does::End(which) => end(&bulkhead, &mut model, which),
                Does::Ends(count) => (0..count).for_each(|_| end(&bulkhead, &mut model, 0)),
                Does::Leave(which) => {
                    if which < queued.len() {
                        let left = queued.swap_remove(which);
                        // Served or not: whichever it is, nothing stays with it.
                        model.waiting.retain(|call| *call != left.call);
                        model.running.retain(|call| *call != left.call);
                        model.serve();
                        bulkhead.abandon(left.waiter);
                    }
                }
                Does::Reconfigure(limit, places) => {
                    bulkhead.reconfigure(settings(limit, places));
                    (model.limit, model.places) = (limit, places);
                    model.serve();
                }
            }
            prop_assert_eq!(bulkhead.in_use(), model.running.len());
            prop_assert_eq!(bulkhead.queued(), model.waiting.len());
            served(&bulkhead, &model, &mut queued)?;
        }
        Ok(())
    });
}

fn queue(
    bulkhead: &BulkheadHandle,
    model: &mut Model,
    queued: &mut Vec<Waits>,
    call: u32,
) -> Result<(), TestCaseError> {
    let woken = Arc::new(Woken::default());
    let joined = bulkhead.enqueue(&Waker::from(woken.clone()));
    prop_assert_eq!(joined.is_ok(), model.waiting.len() < model.places);
    if let Ok(waiter) = joined {
        model.waiting.push_back(call);
        model.serve();
        queued.push(Waits {
            call,
            waiter,
            woken,
            at_once: model.running.contains(&call),
        });
    }
    Ok(())
}

fn end(bulkhead: &BulkheadHandle, model: &mut Model, which: usize) {
    // A call that was served and has not looked yet still runs.
    if which < model.running.len() {
        model.running.remove(which);
        bulkhead.release();
        model.serve();
    }
}

/// Who was served knows it, and was woken if it had to wait; nobody else was.
fn served(
    bulkhead: &BulkheadHandle,
    model: &Model,
    queued: &mut Vec<Waits>,
) -> Result<(), TestCaseError> {
    for waits in std::mem::take(queued) {
        let Waits {
            call,
            mut waiter,
            woken,
            at_once,
        } = waits;
        let is_served = !model.waiting.contains(&call);
        let wakes = woken.0.load(Ordering::Relaxed);
        prop_assert_eq!(wakes, usize::from(is_served && !at_once));
        let wakes_it = Waker::from(woken.clone());
        let polled = bulkhead.poll_granted(&mut waiter, &mut Context::from_waker(&wakes_it));
        prop_assert_eq!(polled.is_ready(), is_served);
        // Half of those who were served do not look at it before they give up.
        if !is_served || call % 2 == 0 && model.running.contains(&call) {
            queued.push(Waits {
                call,
                waiter,
                woken,
                at_once,
            });
        }
    }
    Ok(())
}
