//! Many calls at once, polled in random order, dropped at random awaits, on a clock that moves at
//! random, while operators force states and numbers change: what must hold whatever happens.
//!
//! A seed decides everything, and a failure names it. `RESILIENT_SEEDS=100000..200000` plays others
//! than the usual ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "script/mod.rs"]
mod script;

mod random;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use resilient::breaker::{Breaker, BreakerControl, BreakerState, Per};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Registry, resilient, scope};
use tokio::time::{Instant, advance, sleep};

use random::Random;
use script::{Answer, Failure, Script, Step, poll_once};

const SEEDS: std::ops::Range<u64> = 0..400;
const STEPS: u32 = 500;
const MOST_CALLS: usize = 24;

/// A probe that nobody polls for so long may have lost its slot.
const OPEN_FOR: Duration = Duration::from_millis(40);
const GRACE: Duration = Duration::from_secs(1);

/// The numbers of one play.
#[derive(Clone, Debug)]
struct Numbers {
    permits: usize,
    places: usize,
    tokens: u32,
    attempts: u32,
    copies: u32,
    probes: u32,
    timeout: Option<u64>,
    deadline: Option<u64>,
    per: Per,
    rate: bool,
}

impl Numbers {
    fn draw(random: &Random) -> Self {
        let number = |from: u32, to: u32| {
            from + u32::try_from(random.below(u64::from(to - from + 1))).unwrap()
        };
        Numbers {
            permits: number(1, 5) as usize,
            places: number(0, 4) as usize,
            tokens: number(1, 30),
            attempts: number(1, 4),
            copies: number(2, 3),
            probes: number(1, 3),
            timeout: random.chance(3, 4).then(|| 10 + random.below(90)),
            deadline: random.chance(1, 2).then(|| 100 + random.below(400)),
            per: if random.chance(1, 3) {
                Per::Call
            } else {
                Per::Attempt
            },
            rate: random.chance(1, 2),
        }
    }

    fn dependency(&self) -> Dependency {
        let breaker = if self.rate {
            Breaker::failure_rate(0.6).min_attempts(5).window("200ms")
        } else {
            Breaker::consecutive(3).within("300ms")
        };
        let mut bulkhead = Bulkhead::max_concurrent(self.permits).max_queue(self.places);
        if self.places > 1 {
            bulkhead = bulkhead.max_wait("30ms");
        }
        let mut dependency = Dependency::named("dep")
            .retry(Retry::max(self.attempts).base("4ms").jitter(Jitter::Full))
            .budget(
                Budget::tokens(self.tokens)
                    .refill_per_success(0.0)
                    .refill_every("100000h"),
            )
            .breaker(
                breaker
                    .open_for(OPEN_FOR)
                    .probes(self.probes)
                    .close_after(2)
                    .per(self.per),
            )
            .bulkhead(bulkhead)
            .hedge(Hedge::after("5ms").max(self.copies))
            .no_timeout()
            .no_deadline();
        if let Some(timeout) = self.timeout {
            dependency = dependency.timeout(Duration::from_millis(timeout));
        }
        if let Some(deadline) = self.deadline {
            dependency = dependency.deadline(Duration::from_millis(deadline));
        }
        dependency
    }
}

/// What the bodies share: what they will do, and what is seen of them.
struct World {
    random: Rc<Random>,
    breaker: BreakerControl,
    numbers: RefCell<Numbers>,
    running: Cell<usize>,
    bodies: Cell<u32>,
    /// Those that were not the first of their call, and so cost a token each.
    spent: Cell<u32>,
    /// When the bodies that run as probes began, and in which half-open time.
    probes: RefCell<Vec<(u32, Instant)>>,
    wrong: RefCell<Vec<String>>,
}

/// A body that runs.
struct Running<'a> {
    world: &'a World,
    probe: Option<(u32, Instant)>,
}

impl<'a> Running<'a> {
    fn begin(world: &'a World) -> Self {
        world.running.set(world.running.get() + 1);
        world.bodies.set(world.bodies.get() + 1);
        let breaker = world.breaker.snapshot();
        world.expect(
            !matches!(breaker.state, BreakerState::Open | BreakerState::ForcedOpen),
            || format!("a body began while the breaker is {}", breaker.state),
        );
        let probe =
            (breaker.state == BreakerState::HalfOpen).then(|| (breaker.generation, Instant::now()));
        world.probes.borrow_mut().extend(probe);
        world.check();
        Running { world, probe }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.world.running.set(self.world.running.get() - 1);
        if let Some(probe) = self.probe {
            let mut probes = self.world.probes.borrow_mut();
            let index = probes.iter().position(|other| *other == probe).unwrap();
            probes.swap_remove(index);
        }
    }
}

impl World {
    fn expect(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.borrow_mut().push(what());
        }
    }

    /// Never more bodies than permits, nor more probes than may run at a time.
    fn check(&self) {
        let numbers = self.numbers.borrow();
        let running = self.running.get();
        self.expect(running <= numbers.permits, || {
            format!("{running} bodies for {} permits", numbers.permits)
        });
        let timeout = numbers.timeout.map(Duration::from_millis);
        let lease = timeout.map_or(OPEN_FOR, |timeout| timeout + GRACE);
        let generation = self.breaker.snapshot().generation;
        let probes = self.probes.borrow();
        let probes = probes.iter().filter(|(of, _)| *of == generation);
        let probes = probes.filter(|(_, began)| began.elapsed() < lease).count();
        self.expect(probes <= numbers.probes as usize, || {
            format!("{probes} probes instead of {}", numbers.probes)
        });
    }

    async fn body(&self, sent: &Cell<bool>) -> Answer {
        let _running = Running::begin(self);
        self.spent
            .set(self.spent.get() + u32::from(sent.replace(true)));
        for _ in 0..self.random.below(4) {
            match self.random.below(3) {
                0 => tokio::task::yield_now().await,
                1 => sleep(Duration::from_millis(self.random.below(25))).await,
                _ => {}
            }
        }
        match self.random.below(20) {
            0..10 => Ok(200),
            10..14 => Err(Failure::Transient),
            14 => Err(Failure::Unsent),
            15 => Err(Failure::Throttled(Duration::from_millis(
                self.random.below(20),
            ))),
            16 => Err(Failure::Permanent),
            17 => Err(Failure::Ignored),
            18 => std::future::pending().await,
            // Like a panic, without the message.
            _ => resume_unwind(Box::new("as scripted")),
        }
    }
}

#[resilient(dependency = "dep", idempotent)]
async fn plain(world: &World, sent: Rc<Cell<bool>>) -> Answer {
    world.body(&sent).await
}

#[resilient(dependency = "dep", hedge, idempotent)]
async fn hedged(world: &World, sent: Rc<Cell<bool>>) -> Answer {
    world.body(&sent).await
}

#[resilient(dependency = "dep", idempotent = false)]
async fn once(world: &World, sent: Rc<Cell<bool>>) -> Answer {
    world.body(&sent).await
}

/// A task's waker: whether somebody wants it polled.
struct Wanted(AtomicBool);

impl Wake for Wanted {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Task<'a> {
    future: Pin<Box<dyn Future<Output = Answer> + 'a>>,
    wanted: Arc<Wanted>,
}

impl Task<'_> {
    /// `true` if it has ended.
    fn poll(&mut self) -> bool {
        self.wanted.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(self.wanted.clone());
        let poll = || self.future.as_mut().poll(&mut Context::from_waker(&waker));
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Poll::Pending) => false,
            Ok(Poll::Ready(_)) | Err(_) => true,
        }
    }

    fn is_wanted(&self) -> bool {
        self.wanted.0.load(Ordering::Relaxed)
    }
}

struct Play<'a> {
    random: Rc<Random>,
    registry: &'a Registry,
    world: &'a World,
    tasks: Vec<Task<'a>>,
    /// Only tasks that were woken are polled, as an executor does.
    woken_only: bool,
}

impl Play<'_> {
    async fn step(&mut self) {
        match self.random.below(100) {
            0..20 => self.begin(),
            20..75 => self.poll(),
            75..80 => self.drop_one(),
            80..95 => advance(Duration::from_millis(self.random.below(15))).await,
            95..97 => self.operate(),
            _ => self.update(),
        }
        self.world.check();
    }

    fn begin(&mut self) {
        if self.tasks.len() >= MOST_CALLS {
            return;
        }
        let (registry, world) = (self.registry, self.world);
        let sent = Rc::new(Cell::new(false));
        let future: Pin<Box<dyn Future<Output = Answer>>> = match self.random.below(3) {
            0 => Box::pin(scope(registry, plain(world, sent))),
            1 => Box::pin(scope(registry, hedged(world, sent))),
            _ => Box::pin(scope(registry, once(world, sent))),
        };
        self.tasks.push(Task {
            future,
            wanted: Arc::new(Wanted(AtomicBool::new(true))),
        });
    }

    fn poll(&mut self) {
        let candidates: Vec<_> = (0..self.tasks.len())
            .filter(|task| !self.woken_only || self.tasks[*task].is_wanted())
            .collect();
        if let Some(task) = self.random.one_of(&candidates)
            && self.tasks[task].poll()
        {
            self.tasks.swap_remove(task);
        }
    }

    fn drop_one(&mut self) {
        let all: Vec<_> = (0..self.tasks.len()).collect();
        if let Some(task) = self.random.one_of(&all) {
            self.tasks.swap_remove(task);
        }
    }

    fn operate(&self) {
        let breaker = &self.world.breaker;
        let lasts = Duration::from_millis(self.random.below(100));
        match self.random.below(7) {
            0 => breaker.force_open_for(lasts),
            1 => breaker.force_closed_for(lasts),
            2 => breaker.disable_for(lasts),
            3 => breaker.observe_for(lasts),
            4 => breaker.reset(),
            5 => {
                breaker.force_open();
                breaker.lift();
            }
            _ => breaker.lift(),
        }
    }

    /// More permits and places, and another breaker. A lower limit could not be held against the
    /// number of bodies: permits of the higher one may wait for their tasks to run.
    fn update(&self) {
        let mut numbers = self.world.numbers.borrow_mut();
        numbers.permits += usize::from(self.random.chance(1, 4));
        numbers.places += usize::from(self.random.chance(1, 4));
        numbers.rate = self.random.chance(1, 2);
        self.registry.update(numbers.dependency()).unwrap();
    }

    /// Lets all calls end by themselves.
    async fn drain(&mut self) {
        for _ in 0..20_000 {
            let mut polled = false;
            let mut task = 0;
            while task < self.tasks.len() {
                if self.tasks[task].is_wanted() {
                    polled = true;
                    if self.tasks[task].poll() {
                        self.tasks.swap_remove(task);
                        continue;
                    }
                }
                task += 1;
            }
            self.world.check();
            if self.tasks.is_empty() {
                return;
            }
            if !polled {
                advance(Duration::from_millis(5)).await;
            }
        }
        self.world.expect(false, || {
            format!("{} calls are never woken again", self.tasks.len())
        });
    }
}

#[test]
fn x1_k1_b3_g1_nothing_leaks_and_no_limit_is_passed_in_any_order() {
    let seeds = match std::env::var("RESILIENT_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("from..to");
            from.parse().expect("a number")..to.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    let mut bodies = 0;
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        bodies += runtime.block_on(play(seed));
    }
    assert!(bodies > 1_000, "only {bodies} attempts were made");
}

async fn play(seed: u64) -> u32 {
    let random = Rc::new(Random::seeded(seed));
    let numbers = Numbers::draw(&random);
    let registry = Registry::seeded(seed);
    registry.register(numbers.dependency()).unwrap();
    let world = World {
        random: random.clone(),
        breaker: registry.breaker("dep").unwrap(),
        numbers: RefCell::new(numbers.clone()),
        running: Cell::new(0),
        bodies: Cell::new(0),
        spent: Cell::new(0),
        probes: RefCell::default(),
        wrong: RefCell::default(),
    };
    let mut play = Play {
        woken_only: random.chance(1, 2),
        random,
        registry: &registry,
        world: &world,
        tasks: Vec::new(),
    };
    for _ in 0..STEPS {
        play.step().await;
    }
    // Without a limit of its own a call that hangs never ends.
    let ends = numbers.timeout.is_some() || numbers.deadline.is_some();
    if play.woken_only && ends {
        play.drain().await;
    }
    play.tasks.clear();
    world.expect(world.running.get() == 0, || "a body runs on".to_owned());
    all_is_back(&registry, &world).await;
    let wrong = world.wrong.borrow();
    assert!(wrong.is_empty(), "seed {seed}, {numbers:?}: {wrong:#?}");
    world.bodies.get()
}

/// Every permit, place, slot and token is where it was.
async fn all_is_back(registry: &Registry, world: &World) {
    let numbers = world.numbers.borrow().clone();
    let policy = registry.policy("dep").unwrap().idempotent();
    let hangs = Script::new(&vec![Step::Hang; 100]);
    let breaker = &world.breaker;

    if breaker.snapshot().state == BreakerState::HalfOpen {
        let mut probes: Vec<_> = (0..numbers.probes + 2)
            .map(|_| Box::pin(policy.call(|| hangs.attempt())))
            .collect();
        let refused = probes
            .iter_mut()
            .filter_map(|call| match poll_once(call.as_mut()) {
                Poll::Ready(Err(Failure::Rejected(_))) => Some(()),
                _ => None,
            })
            .count();
        world.expect(refused == 2, || {
            format!("{refused} of 2 probes too many refused")
        });
    }
    breaker.reset();
    breaker.disable();

    let all = numbers.permits + numbers.places + 2;
    let mut pending: Vec<_> = (0..all)
        .map(|_| Box::pin(policy.call(|| hangs.attempt())))
        .collect();
    let refused = pending
        .iter_mut()
        .filter_map(|call| poll_once(call.as_mut()).is_ready().then_some(()))
        .count();
    let running = hangs.running();
    world.expect(running == numbers.permits, || {
        format!("{running} permits of {}", numbers.permits)
    });
    world.expect(refused == 2, || {
        format!("{refused} of 2 calls too many refused")
    });
    drop(pending);

    // One retry for each call, whatever the numbers are.
    let mut two = numbers.clone();
    two.attempts = 2;
    registry.update(two.dependency()).unwrap();
    let fails = Script::new(&vec![Step::F; 200]);
    let mut left = 0;
    for _ in 0..numbers.tokens + 2 {
        let before = fails.starts().len();
        let _ = policy.call(|| fails.attempt()).await;
        left += u32::from(fails.starts().len() - before == 2);
    }
    let spent = world.spent.get();
    world.expect(left + spent == numbers.tokens, || {
        format!("{left} tokens and {spent} spent of {}", numbers.tokens)
    });
}
