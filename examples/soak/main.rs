//! A long run of everything at once, from many threads: nothing may be lost, and nothing may grow.
//!
//! ```text
//! scripts/soak            # a million calls
//! scripts/soak 10000000   # ten
//! ```
//!
//! Calls succeed, fail in every way, time out, panic, are dropped at random awaits, or are hedged, on
//! one dependency with every policy. Its breaker really opens, its throttle sheds, its budget runs
//! out. At the end every permit, token, slot and gauge must be where it was at first, and the process
//! must not have grown since it was warm.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use resilient::breaker::{Breaker, BreakerState};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::throttle::Throttle;
use resilient::{Class, Classify, Dependency, Policy, Rejection, resilient};

const PERMITS: usize = 48;
const PLACES: usize = 16;
const TOKENS: u32 = 1_000;
const PROBES: usize = 2;
/// Calls under way at a time, more than there are permits and places.
const CALLERS: usize = 96;
/// What the process may grow by since a fifth of the calls: what an allocator keeps, not what leaks.
const GROWTH: u64 = 4 << 20;

static RUNNING: AtomicUsize = AtomicUsize::new(0);
static ATTEMPTS: AtomicU64 = AtomicU64::new(0);
static TOO_MANY: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, thiserror::Error, Classify)]
enum Failure {
    #[error("connection lost")]
    #[transient]
    Lost,
    #[error("come back in {0:?}")]
    #[throttled(retry_after = 0)]
    Busy(Duration),
    #[error("broken")]
    #[fault]
    Broken,
    #[error("no such thing")]
    #[permanent]
    Missing,
    #[error("our own mistake")]
    #[ignored]
    Ours,
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

/// A gauge of bodies that are running.
struct Running;

impl Running {
    fn begin() -> Self {
        ATTEMPTS.fetch_add(1, Ordering::Relaxed);
        if RUNNING.fetch_add(1, Ordering::SeqCst) >= PERMITS {
            TOO_MANY.fetch_add(1, Ordering::Relaxed);
        }
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The dependency: what `number` makes of it.
async fn serve(number: u64) -> Result<u64, Failure> {
    let _running = Running::begin();
    match number % 5 {
        0 => {}
        1 => tokio::task::yield_now().await,
        2 => tokio::time::sleep(Duration::from_micros(number % 2_000)).await,
        _ => {
            for _ in 0..number % 7 {
                tokio::task::yield_now().await;
            }
        }
    }
    match (number >> 8) % 100 {
        0..3 => Err(Failure::Lost),
        3 => Err(Failure::Busy(Duration::from_micros(300))),
        4 => Err(Failure::Broken),
        5 => Err(Failure::Missing),
        6 => Err(Failure::Ours),
        // Longer than the timeout.
        7 => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(number)
        }
        // Like a panic, without a million messages.
        8 => resume_unwind(Box::new("as planned")),
        _ => Ok(number),
    }
}

#[resilient(dependency = "soaked", idempotent)]
async fn plain(number: u64) -> Result<u64, Failure> {
    serve(mixed(number)).await
}

#[resilient(dependency = "soaked", hedge, idempotency_key = number)]
async fn hedged(number: u64) -> Result<u64, Failure> {
    serve(mixed(number)).await
}

#[resilient(
    dependency = "soaked",
    breaker(name = "soaked", per = "call"),
    idempotent = false
)]
async fn once(number: u64) -> Result<u64, Failure> {
    serve(mixed(number)).await
}

/// Another number for each attempt, all from one seed: `SplitMix64`'s mixer.
fn mixed(number: u64) -> u64 {
    let attempt = u64::from(resilient::context().attempt());
    mix(number.wrapping_mul(31).wrapping_add(attempt))
}

fn mix(number: u64) -> u64 {
    let state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn dependency() -> Dependency {
    Dependency::named("soaked")
        .retry(Retry::max(3).base("200us").cap("2ms"))
        .budget(
            Budget::tokens(TOKENS)
                .refill_per_success(0.05)
                .refill_every("50ms"),
        )
        .breaker(
            Breaker::failure_rate(0.12)
                .min_attempts(60)
                .window("100ms")
                .open_for("2ms")
                .probes(u32::try_from(PROBES).unwrap_or(u32::MAX)),
        )
        .throttle(Throttle::accepts(1.05).window("1s").max_rejection(0.5))
        .bulkhead(
            Bulkhead::max_concurrent(PERMITS)
                .max_queue(PLACES)
                .max_wait("3ms"),
        )
        .hedge(Hedge::after("1ms").max(3))
        .timeout("5ms")
        .deadline("20ms")
}

/// A future that is dropped after so many polls; `None` then.
struct Impatient<F> {
    future: Pin<Box<F>>,
    polls: u64,
}

impl<F: Future> Future for Impatient<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.polls == 0 {
            return Poll::Ready(None);
        }
        self.polls -= 1;
        self.future.as_mut().poll(cx).map(Some)
    }
}

/// Turns a panic of the inner future into `None`.
struct Caught<F>(Pin<Box<F>>);

impl<F: Future> Future for Caught<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Some),
            Err(_) => Poll::Ready(None),
        }
    }
}

async fn call(number: u64, ends: &Ends) {
    let drawn = mix(!number);
    let polls = if drawn.is_multiple_of(20) {
        drawn / 20 % 6
    } else {
        u64::MAX
    };
    let answer = match drawn % 3 {
        0 => {
            Caught(Box::pin(Impatient {
                future: Box::pin(plain(number)),
                polls,
            }))
            .await
        }
        1 => {
            Caught(Box::pin(Impatient {
                future: Box::pin(hedged(number)),
                polls,
            }))
            .await
        }
        _ => {
            Caught(Box::pin(Impatient {
                future: Box::pin(once(number)),
                polls,
            }))
            .await
        }
    };
    let end = match answer {
        None => End::Panicked,
        Some(None) => End::Dropped,
        Some(Some(answer)) => End::Answered(answer),
    };
    let refused = matches!(
        &end,
        End::Answered(Err(Failure::Rejected(rejection)))
            if !matches!(rejection, Rejection::TimedOut { .. })
    );
    ends.count(&end);
    if refused {
        // Or all that is seen while the breaker is open is that it is.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// How a call ended.
enum End {
    Answered(Result<u64, Failure>),
    Dropped,
    Panicked,
}

/// How calls ended.
#[derive(Default)]
struct Ends {
    kinds: [AtomicU64; 9],
}

const KINDS: [&str; 9] = [
    "success",
    "transient",
    "throttled",
    "fault",
    "permanent",
    "ignored",
    "timed out",
    "rejected otherwise",
    "dropped",
];

impl Ends {
    fn count(&self, end: &End) {
        let kind = match end {
            End::Panicked => return,
            End::Dropped => 8,
            End::Answered(Ok(_)) => 0,
            End::Answered(Err(failure)) => match (failure, failure.class()) {
                (Failure::Rejected(Rejection::TimedOut { .. }), _) => 6,
                (Failure::Rejected(_), _) => 7,
                (_, Class::Transient { .. }) => 1,
                (_, Class::Throttled { .. }) => 2,
                (_, Class::Fault) => 3,
                (_, Class::Permanent) => 4,
                _ => 5,
            },
        };
        self.kinds[kind].fetch_add(1, Ordering::Relaxed);
    }

    fn print(&self, calls: u64) {
        let counts = self
            .kinds
            .each_ref()
            .map(|kind| kind.load(Ordering::Relaxed));
        for (kind, count) in KINDS.iter().zip(counts) {
            println!("{count:>9} {kind}");
        }
        println!("{:>9} panicked", calls - counts.iter().sum::<u64>());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let calls = match std::env::args().nth(1) {
        Some(number) => number.parse()?,
        None => 20_000,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()?;
    runtime.block_on(soak(calls))
}

async fn soak(calls: u64) -> Result<(), Box<dyn Error>> {
    resilient::register(dependency())?;
    let ends: &'static Ends = Box::leak(Box::default());
    let begun = Instant::now();
    let warm = calls / 5;
    let mut memory = Vec::new();
    for (from, to) in [(0, warm), (warm, calls)] {
        let callers: Vec<_> = (0..)
            .take(CALLERS)
            .map(|caller| {
                tokio::spawn(async move {
                    for number in (from + caller..to).step_by(CALLERS) {
                        call(number, ends).await;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await?;
        }
        memory.push(resident());
    }
    println!(
        "{calls} calls, {} attempts in {:.1?}:",
        ATTEMPTS.load(Ordering::Relaxed),
        begun.elapsed()
    );
    ends.print(calls);
    println!("memory after a fifth of them and after all: {memory:?} bytes");
    check(&memory).await
}

async fn check(memory: &[Option<u64>]) -> Result<(), Box<dyn Error>> {
    let running = RUNNING.load(Ordering::SeqCst);
    let too_many = TOO_MANY.load(Ordering::SeqCst);
    expect(
        running == 0 && too_many == 0,
        &format!("{running} bodies run on, {too_many} were too many"),
    )?;
    if let [Some(warm), Some(end)] = memory {
        expect(*end <= warm + GROWTH, "memory has grown")?;
    } else {
        println!("memory is not known here");
    }

    let breaker = resilient::breaker("soaked")?;
    let policy = resilient::policy("soaked")?.idempotent();
    // Half-open anew: exactly so many probes.
    breaker.force_open();
    breaker.lift();
    expect(
        held(&policy, PROBES + 2) == PROBES,
        "a probe's slot is lost",
    )?;
    expect(
        breaker.state() == BreakerState::HalfOpen,
        "probes that are dropped say nothing",
    )?;
    breaker.reset();
    let snapshot = breaker.snapshot();
    expect(
        snapshot.attempts == 0,
        "results of before are counted after a reset",
    )?;
    breaker.disable();
    resilient::update(
        dependency()
            .throttle(Throttle::accepts(1000.0))
            .bulkhead(Bulkhead::max_concurrent(PERMITS)),
    )?;
    expect(held(&policy, PERMITS + 2) == PERMITS, "a permit is lost")?;

    // A full bucket: each success puts in a part, and time does. All of it can be spent, and no more.
    for _ in 0..TOKENS * 21 {
        policy.call(|| async { Ok::<_, Failure>(0) }).await?;
    }
    resilient::update(
        dependency()
            .throttle(Throttle::accepts(1000.0))
            .retry(Retry::max(TOKENS + 2).base("0s"))
            .budget(
                Budget::tokens(TOKENS)
                    .refill_per_success(0.0)
                    .refill_every("1000h"),
            )
            .no_timeout()
            .no_deadline(),
    )?;
    let attempts = AtomicUsize::new(0);
    let _ = policy
        .call(|| async {
            attempts.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(Failure::Lost)
        })
        .await;
    let spent = attempts.into_inner() - 1;
    expect(
        spent == TOKENS as usize,
        &format!("{spent} tokens of {TOKENS}"),
    )?;
    println!("every permit, token, slot and gauge is back");
    Ok(())
}

/// How many of so many calls that never end run at once. They are dropped on the way out.
fn held(policy: &Policy, calls: usize) -> usize {
    let running = AtomicUsize::new(0);
    let mut all: Vec<_> = (0..calls)
        .map(|_| {
            Box::pin(policy.call(|| async {
                running.fetch_add(1, Ordering::Relaxed);
                std::future::pending::<Result<(), Failure>>().await
            }))
        })
        .collect();
    for call in &mut all {
        let _ = pin!(call).poll(&mut Context::from_waker(std::task::Waker::noop()));
    }
    running.load(Ordering::Relaxed)
}

/// Bytes of this process in memory, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

fn expect(holds: bool, otherwise: &str) -> Result<(), Box<dyn Error>> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
