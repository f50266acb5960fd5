//! The rules of K1 and the reports of group C, played on the handle: as scripts here, on many
//! threads in `threads`.

mod threads;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::{Acquired, Adaptive, Bulkhead, BulkheadHandle, BulkheadSettings, Moved, Waiter};
use crate::name::Name;
use crate::seam::clock::Moment;

fn settings(limit: usize, queue: usize) -> BulkheadSettings {
    Bulkhead::max_concurrent(limit)
        .max_queue(queue)
        .settings()
        .expect("the numbers are good")
}

fn handle(limit: usize, queue: usize, shards: usize) -> BulkheadHandle {
    let name = Name::new("payment").expect("the name is good");
    BulkheadHandle::with_shards(name, settings(limit, queue), shards)
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// One call as the script sees it.
enum Call {
    Running,
    Waiting(Waiter, Arc<Woken>),
}

/// Plays a script on one bulkhead and says what became of every call.
///
/// `+a` a call, `-a` its end, `?a` whether it waits or runs now, `=3/1` reconfigures to limit 3
/// and queue 1, `#2/1` what is in use and how many wait.
struct Play {
    bulkhead: BulkheadHandle,
    calls: HashMap<String, Call>,
}

impl Play {
    fn step(&mut self, step: &str) -> String {
        let (verb, rest) = step.split_at(1);
        match verb {
            "+" => self.call(rest),
            "-" => self.end(rest),
            "?" => self.look(rest),
            "=" => {
                let (limit, queue) = rest.split_once('/').expect("two numbers");
                let number = |text: &str| match text {
                    "max" => usize::MAX,
                    _ => text.parse().expect("a number"),
                };
                self.bulkhead
                    .reconfigure(settings(number(limit), number(queue)));
                String::new()
            }
            "#" => format!("{}/{}", self.bulkhead.in_use(), self.bulkhead.queued()),
            _ => panic!("unknown step {step}"),
        }
    }

    fn call(&mut self, name: &str) -> String {
        let call = match self.bulkhead.try_acquire() {
            Acquired::Granted => Call::Running,
            Acquired::Full => return "full".to_owned(),
            Acquired::Queue => {
                let woken = Arc::new(Woken::default());
                match self.bulkhead.enqueue(&Waker::from(woken.clone())) {
                    Ok(waiter) => Call::Waiting(waiter, woken),
                    Err(_) => return "full".to_owned(),
                }
            }
        };
        let before = self.calls.insert(name.to_owned(), call);
        assert!(before.is_none(), "{name} calls twice");
        self.look(name)
    }

    /// A waiter that was served but not asked yet is `due`.
    fn look(&mut self, name: &str) -> String {
        let call = self.calls.get_mut(name).expect("the call exists");
        let Call::Waiting(waiter, woken) = call else {
            return "runs".to_owned();
        };
        let waker = Waker::from(woken.clone());
        match self
            .bulkhead
            .poll_granted(waiter, &mut Context::from_waker(&waker))
        {
            Poll::Pending => "waits".to_owned(),
            Poll::Ready(()) => {
                *call = Call::Running;
                "runs".to_owned()
            }
        }
    }

    /// A call that waits, or was served and did not look, gives up; a running one is over.
    fn end(&mut self, name: &str) -> String {
        match self.calls.remove(name).expect("the call exists") {
            Call::Running => self.bulkhead.release(),
            Call::Waiting(waiter, _) => self.bulkhead.abandon(waiter),
        }
        String::new()
    }
}

/// What it shows, limit, queue, and the script.
const SCRIPTS: &[(&str, usize, usize, &str)] = &[
    (
        "bh01_bh17 beyond the limit is refused at once",
        2,
        0,
        "+a runs, +b runs, +c full, -a, +d runs, +e full, #2/0",
    ),
    (
        "c12 the queue is as deep as it says",
        1,
        2,
        "+a runs, +b waits, +c waits, +d full, -a, ?c waits, ?b runs, +d waits, -b, ?c runs, ?d waits, #1/1",
    ),
    (
        "c02 the head of the queue leaves while a permit comes back",
        1,
        2,
        "+a runs, +b waits, +c waits, -a, -b, ?c runs, #1/0",
    ),
    (
        "c02 the head leaves before the permit comes back",
        1,
        2,
        "+a runs, +b waits, +c waits, -b, ?c waits, -a, ?c runs, #1/0",
    ),
    (
        "c03 served and gone before it looks",
        1,
        1,
        "+a runs, +b waits, -a, #1/0, -b, #0/0, +c runs",
    ),
    (
        "c10 a newcomer goes behind those who wait",
        1,
        9,
        "+a runs, +w1 waits, +w2 waits, -a, +n1 waits, ?w2 waits, ?w1 runs, -w1, +n2 waits, ?n1 waits, ?w2 runs, -w2, ?n2 waits, ?n1 runs, -n1, ?n2 runs",
    ),
    (
        "c10 a middle one that leaves does not disturb the order",
        1,
        9,
        "+a runs, +b waits, +c waits, +d waits, -c, -a, ?d waits, ?b runs, -b, ?d runs, -d, #0/0",
    ),
    (
        "bh10 a retry joins the tail",
        1,
        5,
        "+a runs, +b waits, +c waits, -a, +a2 waits, ?b runs, -b, ?a2 waits, ?c runs, -c, ?a2 runs",
    ),
    (
        "bh20 growth lets newcomers in",
        1,
        0,
        "+a runs, +b full, =2/0, +b runs, +c full",
    ),
    (
        "k1 growth serves those who wait, in order",
        1,
        5,
        "+a runs, +b waits, +c waits, +d waits, =3/5, ?d waits, ?b runs, ?c runs, #3/1",
    ),
    (
        "bh21 a lower limit waits for permits to come back",
        2,
        0,
        "+a runs, +b runs, =1/0, +c full, -a, +c full, #1/0, -b, +c runs, +d full",
    ),
    (
        "k1 what is owed comes before who waits",
        3,
        5,
        "+a runs, +b runs, +c runs, +w waits, =1/5, -a, ?w waits, -b, ?w waits, #1/1, -c, ?w runs, #1/0",
    ),
    (
        "k1 growing again pays back what is owed",
        3,
        0,
        "+a runs, +b runs, +c runs, =1/0, =2/0, +d full, -a, +d full, -b, +d runs, #2/0",
    ),
    (
        "k1 shrinking takes free permits at once",
        8,
        0,
        "+a runs, =2/0, +b runs, +c full, #2/0, -a, -b, #0/0, +a runs, +b runs, +c full",
    ),
    (
        "k1 who waits stays when the queue shrinks",
        1,
        3,
        "+a runs, +b waits, +c waits, =1/0, +d full, -a, ?b runs, +d full, -b, ?c runs, -c, +d runs",
    ),
    (
        "k1 a queue that is turned off lets newcomers in once it is empty",
        1,
        3,
        "+a runs, +b waits, =1/0, -b, +c full, -a, +c runs",
    ),
    (
        "c08 no limit",
        usize::MAX,
        0,
        "+a runs, +b runs, #2/0, =1/0, +c full, -a, -b, +c runs, +d full",
    ),
    (
        "c08 from a limit to none and back",
        1,
        2,
        "+a runs, +b waits, =max/0, ?b runs, +c runs, =1/2, #3/0, -a, -b, +d waits, -c, ?d runs, #1/0",
    ),
];

#[test]
fn k1_scripts() {
    for (name, limit, queue, script) in SCRIPTS {
        for shards in [1, 2, 8] {
            let mut play = Play {
                bulkhead: handle(*limit, *queue, shards),
                calls: HashMap::new(),
            };
            for step in script.split(", ") {
                let (act, expected) = match step.split_once(' ') {
                    Some((act, expected)) => (act, expected),
                    None if step.starts_with('#') => ("#", &step[1..]),
                    None => (step, ""),
                };
                let seen = play.step(act);
                assert_eq!(seen, expected, "{name}: {step} with {shards} shards");
            }
        }
    }
}

#[test]
fn c03_cancel_between_grant_and_resume_keeps_the_permit() {
    let bulkhead = handle(1, 1, 2);
    for _ in 0..1000 {
        assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        let waiter = bulkhead.enqueue(Waker::noop()).expect("there is room");
        bulkhead.release();
        bulkhead.abandon(waiter);
        assert_eq!((bulkhead.in_use(), bulkhead.queued()), (0, 0));
    }
}

#[test]
fn k1_a_waiter_is_woken_once_and_by_its_last_waker() {
    let bulkhead = handle(1, 2, 2);
    let (first, last) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
    let mut waiter = bulkhead
        .enqueue(&Waker::from(first.clone()))
        .expect("there is room");
    let waker = Waker::from(last.clone());
    let mut cx = Context::from_waker(&waker);
    assert!(bulkhead.poll_granted(&mut waiter, &mut cx).is_pending());
    bulkhead.release();
    assert_eq!(first.0.load(Ordering::SeqCst), 0);
    assert_eq!(last.0.load(Ordering::SeqCst), 1);
    assert!(bulkhead.poll_granted(&mut waiter, &mut cx).is_ready());
    assert_eq!(Arc::strong_count(&first), 1, "the old waker is dropped");
}

#[test]
fn k1_enqueue_serves_a_permit_that_came_back_meanwhile_without_a_wake() {
    let bulkhead = handle(1, 2, 2);
    let woken = Arc::new(Woken::default());
    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
    assert_eq!(bulkhead.try_acquire(), Acquired::Queue);
    bulkhead.release();
    let waker = Waker::from(woken.clone());
    let mut waiter = bulkhead.enqueue(&waker).expect("there is room");
    let mut cx = Context::from_waker(&waker);
    assert!(bulkhead.poll_granted(&mut waiter, &mut cx).is_ready());
    assert_eq!(woken.0.load(Ordering::SeqCst), 0);
    bulkhead.release();
    assert_eq!(
        bulkhead.try_acquire(),
        Acquired::Granted,
        "the gate is open"
    );
}

#[test]
fn k1_growth_serves_more_than_one_batch() {
    let bulkhead = handle(1, 100, 4);
    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
    let woken: Vec<_> = (0..40).map(|_| Arc::new(Woken::default())).collect();
    let mut waiters: Vec<_> = woken
        .iter()
        .map(|woken| bulkhead.enqueue(&Waker::from(woken.clone())))
        .collect::<Result<_, _>>()
        .expect("there is room");
    bulkhead.reconfigure(settings(31, 100));
    let counts: Vec<_> = woken
        .iter()
        .map(|woken| woken.0.load(Ordering::SeqCst))
        .collect();
    assert_eq!(counts, [vec![1; 30], vec![0; 10]].concat());
    let mut cx = Context::from_waker(Waker::noop());
    let granted: Vec<_> = waiters
        .iter_mut()
        .map(|waiter| bulkhead.poll_granted(waiter, &mut cx).is_ready())
        .collect();
    assert_eq!(granted, [vec![true; 30], vec![false; 10]].concat());
}

/// Dropping a waker may drop a task, and with it a place in the same queue.
#[test]
fn k1_a_waker_may_come_back_while_it_is_dropped() {
    struct Owner {
        bulkhead: Arc<BulkheadHandle>,
    }
    impl Wake for Owner {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            assert!(self.bulkhead.queued() <= 1);
        }
    }

    let bulkhead = Arc::new(handle(1, 2, 1));
    let owner = || {
        Waker::from(Arc::new(Owner {
            bulkhead: bulkhead.clone(),
        }))
    };
    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
    let mut waiter = bulkhead.enqueue(&owner()).expect("there is room");
    let mut cx = Context::from_waker(Waker::noop());
    assert!(bulkhead.poll_granted(&mut waiter, &mut cx).is_pending());
    bulkhead.abandon(waiter);

    let waiter = bulkhead.enqueue(&owner()).expect("there is room");
    bulkhead.abandon(waiter);

    let waiter = bulkhead.enqueue(&owner()).expect("there is room");
    bulkhead.release();
    bulkhead.abandon(waiter);
    assert_eq!(bulkhead.in_use(), 0);
}

#[test]
fn k1_ids_differ_and_numbers_are_told() {
    let (a, b) = (handle(2, 3, 1), handle(2, 3, 1));
    assert_ne!(a.id(), b.id());
    let waiting = Bulkhead::max_concurrent(7)
        .max_queue(1)
        .max_wait("250ms")
        .settings()
        .expect("the numbers are good");
    a.reconfigure(waiting);
    assert_eq!(a.limit(), 7);
    assert_eq!(a.max_wait(), Some(Duration::from_millis(250)));
    assert_eq!(handle(usize::MAX, 0, 1).limit(), usize::MAX);
    assert_eq!(a.name().to_string(), "payment");
}

#[test]
fn a1_a_limit_that_has_moved_is_in_force_and_survives_other_numbers() {
    let adaptive = |adaptive: Adaptive| Bulkhead::adaptive(adaptive).settings().unwrap();
    let start = Adaptive::aimd(1..=10).initial(4).window("1ms");
    let name = Name::new("payment").expect("the name is good");
    let bulkhead = BulkheadHandle::with_shards(name, adaptive(start), 2);
    let granted = |most: usize| {
        let granted = (0..most).filter(|_| bulkhead.try_acquire() == Acquired::Granted);
        let granted = granted.count();
        (0..granted).for_each(|_| bulkhead.release());
        granted
    };
    assert!(bulkhead.adapts());
    assert_eq!(granted(9), 4);
    for _ in 0..4 {
        assert_eq!(bulkhead.measured(None, Moment::at_millis(0)), None);
    }
    let moved = bulkhead.measured(None, Moment::at_millis(1));
    assert_eq!(moved, Some(Moved { from: 4, to: 3 }));
    assert_eq!((bulkhead.limit(), granted(9)), (3, 3));

    bulkhead.reconfigure(adaptive(Adaptive::aimd(1..=20).initial(7)));
    assert_eq!((bulkhead.limit(), granted(9)), (3, 3), "it has moved there");
    bulkhead.reconfigure(settings(5, 0));
    assert!(!bulkhead.adapts());
    assert_eq!((bulkhead.limit(), granted(9)), (5, 5));
}
