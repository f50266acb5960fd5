//! A1 and S1: policies that follow what the dependency can do.

use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::{Adaptive, Bulkhead};
use resilient::retry::{Jitter, Retry};
use resilient::throttle::Throttle;
use resilient::{Classify, Dependency, Policy, Registry, Rejection, resilient, scope};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tokio::time::{Instant, advance, sleep};

#[derive(Debug, PartialEq, thiserror::Error, Classify)]
enum Failure {
    #[error("connection lost")]
    #[transient]
    Lost,
    #[error("too much")]
    #[throttled]
    TooMuch,
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

type Answer = Result<(), Failure>;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A dependency without anything that is not looked at: one attempt, no breaker, no deadline.
fn bare() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::never())
        .breaker(Breaker::disabled())
        .budget(Budget::unlimited())
        .bulkhead(Bulkhead::unlimited())
        .no_timeout()
        .no_deadline()
}

fn registered(dependency: Dependency) -> (Registry, Policy) {
    let registry = Registry::seeded(1);
    registry.register(dependency).unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    (registry, policy)
}

/// Polls a call so that it stands where it must wait.
fn poll_once<F: Future + ?Sized>(call: Pin<&mut F>) -> Poll<F::Output> {
    call.poll(&mut Context::from_waker(Waker::noop()))
}

/// So many calls at once, each of which ends as `answer` says after so long; returns when all have.
async fn at_once(policy: &Policy, calls: usize, latency: u64, answer: fn() -> Answer) {
    let calls = (0..calls).map(|_| {
        let call = policy.call(move || async move {
            sleep(ms(latency)).await;
            answer()
        });
        Box::pin(call) as Pin<Box<dyn Future<Output = Answer>>>
    });
    all_end(calls.collect()).await;
}

type Calls<'a> = Vec<Pin<Box<dyn Future<Output = Answer> + 'a>>>;

/// Runs calls side by side until the last has ended.
async fn all_end(mut calls: Calls<'_>) {
    std::future::poll_fn(|cx| {
        calls.retain_mut(|call| call.as_mut().poll(cx).is_pending());
        if calls.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// The limit while nobody calls.
fn limit(policy: &Policy) -> u32 {
    limit_beside(policy, 0)
}

/// Calls at once, their latency, how they end, and the limit after that.
type Round = (usize, u64, fn() -> Answer, u32);

// case AD-06, AD-07, AD-09, AD-10, AD-19
#[tokio::test(start_paused = true)]
async fn a1_whole_calls_move_the_limit_as_the_rows_say() {
    const OK: fn() -> Answer = || Ok(());
    const DROP: fn() -> Answer = || Err(Failure::TooMuch);
    let aimd = || Adaptive::aimd(1..=200);
    let halving = || Adaptive::vegas(1..=200).initial(100).backoff(0.5);
    let vegas = || Adaptive::vegas(1..=20).initial(10);
    let rows: Vec<(&str, Adaptive, Vec<Round>)> = vec![
        ("AD-06", aimd().initial(20), vec![(10, 1, OK, 21)]),
        ("AD-06", aimd().initial(30), vec![(10, 1, DROP, 27)]),
        (
            "AD-06",
            Adaptive::aimd(1..=21).initial(21),
            vec![(20, 1, OK, 21)],
        ),
        ("AD-07", aimd().initial(24), vec![(11, 1, OK, 24)]),
        ("AD-09", vegas(), vec![(10, 10, OK, 10), (10, 14, OK, 10)]),
        (
            "AD-10",
            halving().smoothing(0.5),
            vec![(100, 10, OK, 100), (100, 20, OK, 75), (75, 20, OK, 56)],
        ),
        (
            "AD-10",
            halving(),
            vec![(100, 10, OK, 100), (100, 20, OK, 50), (50, 20, OK, 25)],
        ),
        (
            "AD-19",
            Adaptive::vegas(1..=20_000).initial(10_000),
            vec![(5_000, 10_000, OK, 10_000), (6_000, 10_000, OK, 10_024)],
        ),
        (
            "permanent failures are answers",
            aimd().initial(20),
            vec![(10, 1, || Err(Failure::Missing), 21)],
        ),
        (
            "others say nothing",
            aimd().initial(20),
            vec![
                (20, 1, || Err(Failure::Lost), 20),
                (20, 1, || Err(Failure::Broken), 20),
                (20, 1, || Err(Failure::Ours), 20),
            ],
        ),
    ];
    for (id, adaptive, rounds) in rows {
        // One round, one window, which ends with the first call after it.
        let bulkhead = Bulkhead::adaptive(adaptive.window("1min"));
        let (_registry, policy) = registered(bare().bulkhead(bulkhead));
        for (calls, latency, answer, expected) in rounds {
            at_once(&policy, calls, latency, answer).await;
            advance(ms(60_000)).await;
            at_once(&policy, 1, latency, answer).await;
            assert_eq!(limit(&policy), expected, "{id}");
        }
    }
}

/// A server that does so many requests at a time, each in 100 ms; the others queue in it.
struct Server {
    workers: Semaphore,
    done: Cell<u32>,
}

impl Server {
    fn new(workers: usize) -> Rc<Self> {
        Rc::new(Server {
            workers: Semaphore::new(workers),
            done: Cell::new(0),
        })
    }

    async fn ask(&self) -> Answer {
        let _worker = self.workers.acquire().await.unwrap();
        sleep(ms(100)).await;
        self.done.set(self.done.get() + 1);
        Ok(())
    }
}

/// So many callers without a pause, for so many seconds. Returns the limit at the end of each
/// second, if it is reached, and how many requests the server did in the last one.
async fn load(
    policy: &Policy,
    server: &Rc<Server>,
    callers: usize,
    seconds: u64,
) -> (Vec<Option<u32>>, u32) {
    let local = LocalSet::new();
    for _ in 0..callers {
        let (policy, server) = (policy.clone(), server.clone());
        local.spawn_local(async move {
            loop {
                if policy.call(|| server.ask()).await.is_err() {
                    sleep(ms(20)).await;
                }
            }
        });
    }
    local
        .run_until(async {
            let mut limits = Vec::new();
            let mut done = 0;
            for _ in 0..seconds {
                done = server.done.get();
                sleep(ms(1_000)).await;
                limits.push(full(policy));
            }
            (limits, server.done.get() - done)
        })
        .await
}

#[tokio::test(start_paused = true)]
async fn a1_the_limit_of_an_overloaded_server_settles() {
    // 10 workers do 100 requests a second, if there are 10 at a time; beyond that they queue. A
    // timeout of 300 ms is kept up to 30 at a time.
    let (aimd, vegas) = (Adaptive::aimd, Adaptive::vegas);
    let rows = [
        // the limits it moves between, and the requests that are done at least
        ("by latency", vegas(1..=200).initial(5), 11..=20, 95),
        ("by drops", aimd(1..=200), 24..=31, 95),
        ("from above", aimd(1..=200).initial(100), 24..=31, 95),
        ("no higher than it may", vegas(1..=7).initial(5), 7..=7, 65),
        ("no lower than it may", aimd(40..=200), 40..=41, 0),
    ];
    for (id, adaptive, expected, least) in rows {
        let dependency = bare()
            .bulkhead(Bulkhead::adaptive(adaptive))
            .timeout("300ms");
        let (_registry, policy) = registered(dependency);
        let server = Server::new(10);
        let (limits, done) = load(&policy, &server, 50, 45).await;
        let settled = &limits[30..];
        assert!(
            settled
                .iter()
                .flatten()
                .all(|limit| expected.contains(limit)),
            "{id}: {limits:?}"
        );
        assert!(done >= least, "{id}: {done} a second");
    }
}

/// What became of a call or of many, as a row says it, and the limit after that, which was 20.
type Ended = (
    &'static str,
    fn(Dependency) -> Dependency,
    Option<u64>,
    u64,
    u32,
);

#[tokio::test(start_paused = true)]
async fn a1_only_what_the_dependency_kept_waiting_too_long_is_a_drop() {
    let rows: [Ended; 9] = [
        // what an outer call leaves, and when the future is dropped, both in milliseconds; the
        // dependency takes 200
        ("its timeout", |d| d.timeout("100ms"), None, 300, 18),
        ("its deadline", |d| d.deadline("100ms"), None, 300, 18),
        ("another's deadline", |d| d, Some(100), 300, 20),
        (
            "given up at half time",
            |d| d.timeout("100ms"),
            None,
            50,
            20,
        ),
        ("after that", |d| d.timeout("100ms"), None, 51, 18),
        ("given up without a limit", |d| d, None, 150, 20),
        (
            "given up after what the breaker is told",
            |d| d.breaker(Breaker::consecutive(1000).drop_counts_after("10ms")),
            None,
            11,
            18,
        ),
        (
            "by a machine that stood still",
            |d| d.timeout("100ms"),
            None,
            0,
            20,
        ),
        ("answered in time", |d| d.timeout("1s"), None, 300, 21),
    ];
    for (id, with, outer, dropped, expected) in rows {
        let adaptive = Adaptive::aimd(1..=100).initial(20).window("10s");
        let (_registry, policy) = registered(with(bare().bulkhead(Bulkhead::adaptive(adaptive))));
        let frozen = dropped == 0;
        let latency = if frozen { 100_000 } else { 200 };
        let calls = async { at_once(&policy, 20, latency, || Ok(())).await };
        let calls = async {
            match outer {
                Some(limit) => resilient::with_deadline(ms(limit), calls).await,
                None => calls.await,
            }
        };
        let mut calls = Box::pin(tokio::time::timeout(ms(dropped.max(1)), calls));
        if frozen {
            let polled = poll_once(calls.as_mut());
            assert!(polled.is_pending());
            advance(ms(10_000)).await;
        }
        let _ = calls.as_mut().await;
        drop(calls);
        advance(ms(10_000)).await;
        at_once(&policy, 1, 1, || Ok(())).await;
        assert_eq!(limit(&policy), expected, "{id}");
    }
}

#[resilient(bulkhead = "dep")]
async fn only_fenced_in() -> Answer {
    sleep(ms(5)).await;
    Ok(())
}

#[resilient(bulkhead = "dep")]
async fn ready() -> Answer {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a1_a_bulkhead_alone_is_enough_and_what_is_ready_at_once_is_no_sample() {
    let adaptive = Adaptive::aimd(1..=100).initial(1).window("1ms");
    let (registry, policy) = registered(bare().bulkhead(Bulkhead::adaptive(adaptive)));
    scope(&registry, async {
        for _ in 0..20 {
            ready().await.unwrap();
            advance(ms(2)).await;
        }
        assert_eq!(limit(&policy), 1);
        for _ in 0..2 {
            only_fenced_in().await.unwrap();
        }
        assert_eq!(limit(&policy), 2);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a1_a_limit_that_falls_below_what_is_held_waits_for_it_to_come_back() {
    let adaptive = Adaptive::aimd(1..=100)
        .initial(20)
        .backoff(0.5)
        .window("1s");
    let (_registry, policy) = registered(bare().bulkhead(Bulkhead::adaptive(adaptive)));
    let mut held = hold(&policy, 8);
    for expected in [20, 10] {
        assert_eq!(limit_beside(&policy, held.len()), expected);
        for _ in 0..5 {
            at_once(&policy, 2, 1, || Err(Failure::TooMuch)).await;
        }
        advance(ms(1_000)).await;
        at_once(&policy, 1, 1, || Err(Failure::TooMuch)).await;
    }
    assert_eq!(full(&policy), Some(5), "8 are held");
    while held.len() > 5 {
        held.pop();
        assert_eq!(full(&policy), Some(5), "{} are held", held.len());
    }
    held.pop();
    assert_eq!(limit_beside(&policy, 4), 5);
}

#[tokio::test(start_paused = true)]
async fn a1_a_limit_that_rises_serves_who_waits() {
    let adaptive = Adaptive::aimd(1..=4).initial(2).window("10ms");
    let bulkhead = Bulkhead::adaptive(adaptive).max_queue(100);
    let (_registry, policy) = registered(bare().bulkhead(bulkhead));
    let (running, starts) = (Cell::new(0), RefCell::new(Vec::new()));
    let calls: Calls<'_> = (0..16)
        .map(|number| {
            let (running, starts) = (&running, &starts);
            Box::pin(policy.call(move || async move {
                running.set(running.get() + 1);
                starts.borrow_mut().push((number, running.get()));
                sleep(ms(10)).await;
                running.set(running.get() - 1);
                Ok(())
            })) as Pin<Box<dyn Future<Output = Answer>>>
        })
        .collect();
    all_end(calls).await;
    let starts = starts.into_inner();
    let order: Vec<_> = starts.iter().map(|(number, _)| *number).collect();
    assert!(order.is_sorted(), "{order:?}");
    let most: Vec<_> = starts.iter().map(|(_, running)| *running).collect();
    assert_eq!(most[..2], [1, 2]);
    assert_eq!(most.iter().max(), Some(&4), "{most:?}");
}

/// So many calls that run and do not end.
fn hold(policy: &Policy, calls: usize) -> Calls<'_> {
    let mut held: Calls<'_> = Vec::new();
    for _ in 0..calls {
        let mut call = Box::pin(policy.call(std::future::pending::<Answer>));
        let polled = poll_once(call.as_mut());
        assert!(polled.is_pending());
        held.push(call);
    }
    held
}

/// The limit, if another call finds it reached.
fn full(policy: &Policy) -> Option<u32> {
    let mut call = Box::pin(policy.call(std::future::pending::<Answer>));
    match poll_once(call.as_mut()) {
        Poll::Pending => None,
        Poll::Ready(Err(Failure::Rejected(Rejection::BulkheadFull { limit, .. }))) => Some(limit),
        Poll::Ready(other) => panic!("{other:?}"),
    }
}

/// The limit, found out by filling what so many calls leave of it.
fn limit_beside(policy: &Policy, held: usize) -> u32 {
    let mut more = Vec::new();
    loop {
        if let Some(limit) = full(policy) {
            assert_eq!(held + more.len(), limit as usize, "the limit is exact");
            return limit;
        }
        more.extend(hold(policy, 1));
    }
}

/// Polls `call` so many times, moving the clock in between. True if it ended before.
async fn poll_times<F: Future>(call: F, polls: u32) -> bool {
    let mut call = pin!(call);
    for _ in 0..polls {
        let poll = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
        if poll.is_ready() {
            return true;
        }
        sleep(ms(5)).await;
    }
    false
}

#[tokio::test(start_paused = true)]
async fn x1_a_drop_at_any_await_gives_everything_back() {
    let dependency = || {
        bare()
            .retry(Retry::max(4).base("10ms").jitter(Jitter::None))
            .bulkhead(Bulkhead::adaptive(Adaptive::vegas(3..=3)))
            .timeout("15ms")
    };
    let (mut ended, mut polls) = (false, 0);
    while !ended {
        let throttle = Throttle::accepts(1000.0).max_rejection(0.01);
        let (registry, policy) = registered(dependency().throttle(throttle));
        let attempts = Cell::new(0);
        let call = policy.call(|| async {
            attempts.set(attempts.get() + 1);
            match attempts.get() {
                1 => std::future::pending().await,
                2 => sleep(ms(7)).await,
                3 => {}
                _ => return Ok(()),
            }
            Err(Failure::TooMuch)
        });
        ended = poll_times(scope(&registry, call), polls).await;
        registry.update(dependency()).expect("the numbers are good");
        assert_eq!(limit(&policy), 3, "after {polls} polls");
        polls += 1;
        assert!(polls < 100, "the call ends");
    }
    assert!(polls > 10, "the call has more await points than {polls}");
}

/// Accepts so many requests in each second, and turns the others away.
struct Quota {
    per_second: Cell<u32>,
    second: Cell<u64>,
    accepted: Cell<u32>,
    begun: Instant,
}

impl Quota {
    fn of(per_second: u32) -> Self {
        Quota {
            per_second: Cell::new(per_second),
            second: Cell::new(0),
            accepted: Cell::new(0),
            begun: Instant::now(),
        }
    }

    fn ask(&self) -> Answer {
        let second = self.begun.elapsed().as_secs();
        if self.second.replace(second) != second {
            self.accepted.set(0);
        }
        if self.accepted.get() == self.per_second.get() {
            return Err(Failure::TooMuch);
        }
        self.accepted.set(self.accepted.get() + 1);
        Ok(())
    }
}

/// A hundred calls a second for so many seconds: how many succeeded, failed, and were shed.
async fn hundred_a_second(policy: &Policy, quota: &Quota, seconds: u32) -> [u32; 3] {
    let mut ended = [0; 3];
    for _ in 0..seconds * 100 {
        let outcome = policy.call(|| async { quota.ask() }).await;
        ended[match outcome {
            Ok(()) => 0,
            Err(Failure::TooMuch) => 1,
            Err(Failure::Rejected(Rejection::Shed { .. })) => 2,
            Err(other) => panic!("{other:?}"),
        }] += 1;
        advance(ms(10)).await;
    }
    ended
}

#[tokio::test(start_paused = true)]
async fn s1_sends_as_many_times_what_is_accepted_as_it_is_told_to() {
    // What is accepted a second, what may be sent for each of that, and what is shed of 100 then.
    let rows = [
        (10, 2.0, 80),
        (10, 1.2, 88),
        (25, 2.0, 50),
        (60, 2.0, 0),
        (0, 2.0, 90),
    ];
    for (accepted, multiplier, shed) in rows {
        let throttle = Throttle::accepts(multiplier).window("10s");
        let (_registry, policy) = registered(bare().throttle(throttle));
        let quota = Quota::of(accepted);
        hundred_a_second(&policy, &quota, 20).await;
        let [ok, _, got] = hundred_a_second(&policy, &quota, 50).await;
        assert!(
            got.abs_diff(shed * 50) <= 100,
            "{accepted} * {multiplier}: {got} of 5000 were shed"
        );
        assert!(
            ok * 10 >= accepted * 50 * 9,
            "{accepted} * {multiplier}: {ok}"
        );
    }
}

// case AD-01, AD-02, AD-04, AD-05
#[tokio::test(start_paused = true)]
async fn s1_the_share_of_whole_calls_is_that_of_the_rows() {
    let of_successes = |share: f64| Throttle::accepts(1.0 / share).max_rejection(0.8);
    let twice = || Throttle::accepts(2.0).max_rejection(1.0);
    let rows = [
        // attempts, those that are accepted, and how many of a hundred are shed, rounded up
        ("AD-01", of_successes(0.9), 100, 95, None),
        ("AD-01", of_successes(0.9), 120, 90, Some(17)),
        ("AD-01", of_successes(0.9), 200, 50, Some(72)),
        ("AD-01", of_successes(0.9), 1000, 10, Some(80)),
        ("AD-01", of_successes(0.9), 0, 0, None),
        ("AD-01", of_successes(0.9), 100, 0, Some(80)),
        ("AD-02", Throttle::accepts(2.0), 1, 0, Some(50)),
        (
            "AD-02",
            Throttle::accepts(2.0).max_rejection(0.5),
            20,
            0,
            Some(50),
        ),
        ("AD-04", twice(), 100, 40, Some(20)),
        ("AD-04", twice(), 100, 50, None),
        ("AD-04", twice(), 100, 0, Some(100)),
        ("AD-05", of_successes(0.95), 100, 80, Some(16)),
    ];
    for (id, throttle, attempts, accepted, expected) in rows {
        let (_registry, policy) = registered(bare().throttle(throttle));
        for number in 0..attempts {
            // What is shed is an attempt like one that fails.
            let _ = policy
                .call(|| async {
                    if number < accepted {
                        Ok(())
                    } else {
                        Err(Failure::TooMuch)
                    }
                })
                .await;
        }
        let mut shed = None;
        for _ in 0..200 {
            // Counts nowhere.
            let outcome = policy.call(|| async { Err::<(), _>(Failure::Ours) }).await;
            shed = shed.or(percent(&outcome));
        }
        assert_eq!(shed, expected, "{id}: {accepted} of {attempts}");
    }
}

#[tokio::test(start_paused = true)]
async fn s1_a_recovered_dependency_is_asked_for_everything_again() {
    let throttle = Throttle::accepts(2.0).window("10s");
    let (_registry, policy) = registered(bare().throttle(throttle));
    let quota = Quota::of(0);
    let [ok, failed, shed] = hundred_a_second(&policy, &quota, 30).await;
    assert!(ok == 0 && failed < 500 && shed > 2_500, "{failed}, {shed}");
    quota.per_second.set(1_000);
    // What is sent doubles with what is accepted.
    hundred_a_second(&policy, &quota, 20).await;
    assert_eq!(hundred_a_second(&policy, &quota, 10).await, [1_000, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn s1_one_seed_is_one_history() {
    let mut histories = Vec::new();
    for _ in 0..2 {
        let throttle = Throttle::accepts(2.0).window("10s");
        let (_registry, policy) = registered(bare().throttle(throttle));
        let quota = Quota::of(10);
        histories.push(hundred_a_second(&policy, &quota, 20).await);
    }
    assert_eq!(histories[0], histories[1]);
    assert!(histories[0][2] > 0);
}

/// A dependency that sheds nearly everything, and how many attempts have reached it.
async fn shedding(dependency: Dependency) -> (Registry, Policy) {
    let throttle = Throttle::accepts(2.0).max_rejection(1.0);
    let (registry, policy) = registered(dependency.throttle(throttle));
    for _ in 0..20_000 {
        let _ = policy
            .call(|| async { Err::<(), _>(Failure::Broken) })
            .await;
    }
    (registry, policy)
}

fn percent(outcome: &Answer) -> Option<u8> {
    match outcome {
        Err(Failure::Rejected(Rejection::Shed { percent, .. })) => Some(*percent),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn s1_r6_what_is_shed_is_not_sent_not_retried_no_failure_and_holds_nothing() {
    let dependency = bare()
        .retry(Retry::max(3).base("10ms").jitter(Jitter::None))
        .bulkhead(Bulkhead::max_concurrent(1))
        .breaker(Breaker::failure_rate(1.0).min_attempts(1_000_000));
    let (registry, policy) = shedding(dependency.clone()).await;
    let breaker = registry.breaker("dep").unwrap();
    let before = breaker.snapshot();
    let begun = Instant::now();
    let sent = Cell::new(0);
    for _ in 0..50 {
        let outcome = policy
            .call(|| {
                sent.set(sent.get() + 1);
                async { Ok(()) }
            })
            .await;
        assert_eq!(percent(&outcome), Some(100), "{outcome:?}");
    }
    assert_eq!((sent.get(), begun.elapsed()), (0, Duration::ZERO));
    let after = breaker.snapshot();
    assert_eq!(
        (after.attempts, after.failures),
        (before.attempts, before.failures)
    );
    registry.update(dependency).unwrap();
    assert_eq!(limit(&policy), 1, "and now nothing is shed");
}

#[tokio::test(start_paused = true)]
async fn s1_r1_a_retry_that_is_shed_leaves_the_last_outcome_and_its_token() {
    // With each failure another attempt is more likely to be shed.
    let dependency = bare()
        .retry(Retry::max(50).base("1ms").jitter(Jitter::None))
        .budget(Budget::tokens(1_000).refill_every("1h"))
        .throttle(Throttle::accepts(2.0).max_rejection(1.0));
    let (registry, policy) = registered(dependency.clone());
    let sent = Cell::new(0_usize);
    let call = || {
        policy.call(|| {
            sent.set(sent.get() + 1);
            async { Err::<(), _>(Failure::Lost) }
        })
    };
    let (mut shed, mut calls) = (0, 0);
    while shed < 10 {
        match call().await {
            Err(Failure::Lost) => calls += 1,
            outcome => {
                assert!(percent(&outcome).is_some(), "{outcome:?}");
                shed += 1;
            }
        }
    }
    assert!(calls > 0 && sent.get() < calls * 50, "some retry was shed");
    let retries = sent.get() - calls;
    let without = dependency.retry(Retry::max(2_000).base("0s").cap("1s").jitter(Jitter::None));
    registry
        .update(without.throttle(Throttle::accepts(1.0).max_rejection(1e-9)))
        .unwrap();
    let before = sent.get();
    assert_eq!(call().await, Err(Failure::Lost));
    assert_eq!(sent.get() - before - 1, 1_000 - retries, "all other tokens");
}

#[tokio::test(start_paused = true)]
async fn s1_b3_a_probe_is_never_shed() {
    let breaker = Breaker::consecutive(1).open_for("1s").close_after(2);
    let (_registry, policy) = shedding(bare().breaker(breaker)).await;
    for round in 0..20 {
        advance(ms(1_300)).await;
        let probe = policy
            .call(|| async { Err::<(), _>(Failure::Broken) })
            .await;
        assert_eq!(probe, Err(Failure::Broken), "round {round}");
    }
}

#[resilient(dependency = "dep")]
async fn whole() -> Answer {
    Ok(())
}

#[resilient(breaker = "dep", bulkhead = "dep")]
async fn parts() -> Answer {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn s1_a_throttle_is_used_with_the_whole_dependency_and_not_with_parts_of_it() {
    let (registry, _policy) = shedding(bare()).await;
    scope(&registry, async {
        for _ in 0..100 {
            assert_eq!(percent(&whole().await), Some(100));
            assert_eq!(parts().await, Ok(()));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn s1_attempts_under_way_are_no_overload_and_lost_interest_is_none() {
    let throttle = Throttle::accepts(1.0).max_rejection(1.0);
    let (_registry, policy) = registered(bare().throttle(throttle).timeout("100ms"));
    // A burst, all of it still running.
    let burst = async { at_once(&policy, 500, 90, || Ok(())).await };
    assert!(tokio::time::timeout(ms(40), burst).await.is_err());
    at_once(&policy, 500, 90, || Ok(())).await;
    assert!((0..100).all(|_| !sheds(&policy)));
    // Given up after more than half its time: that is a failure.
    let hang = policy.call(std::future::pending::<Answer>);
    assert!(tokio::time::timeout(ms(60), hang).await.is_err());
    let _ = policy.call(std::future::pending::<Answer>).await;
    let shed = (0..2_000).filter(|_| sheds(&policy)).count();
    assert!(shed > 0, "two more were asked than accepted");
}

/// Whether a call that would succeed is shed.
fn sheds(policy: &Policy) -> bool {
    let call = pin!(policy.call(|| async { Ok::<_, Failure>(()) }));
    match poll_once(call) {
        Poll::Ready(outcome) => percent(&outcome).is_some(),
        Poll::Pending => unreachable!("the body is ready at once"),
    }
}

#[tokio::test(start_paused = true)]
async fn s1_stands_between_breaker_and_bulkhead() {
    let dependency = bare().bulkhead(Bulkhead::max_concurrent(1));
    let (registry, policy) = shedding(dependency.breaker(Breaker::default())).await;
    let breaker = registry.breaker("dep").unwrap();
    let mut holder = pin!(scope(&registry, fenced_in_for_long()));
    breaker.force_closed();
    assert!(poll_once(holder.as_mut()).is_pending());
    let call = || policy.call(|| async { Ok::<_, Failure>(()) });
    assert_eq!(percent(&call().await), Some(100), "before the bulkhead");
    breaker.force_open();
    let outcome = call().await;
    assert!(
        matches!(
            outcome,
            Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
        ),
        "behind the breaker: {outcome:?}"
    );
}

#[resilient(bulkhead = "dep")]
async fn fenced_in_for_long() -> Answer {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn s1_an_attempt_that_waits_lets_the_window_move_on() {
    let throttle = Throttle::accepts(2.0).window("10s");
    let (_registry, policy) = registered(bare().throttle(throttle));
    let call = |latency: u64, outcome: fn() -> Answer| {
        policy.call(move || async move {
            if latency > 0 {
                sleep(ms(latency)).await;
            }
            outcome()
        })
    };
    let shed = || async {
        let mut shed = 0;
        for _ in 0..100 {
            let outcome = call(0, || Err(Failure::Ours)).await;
            shed += u32::from(percent(&outcome).is_some());
        }
        shed
    };
    call(1, || Ok(())).await.unwrap();
    advance(ms(1_000)).await;
    assert_eq!(call(1, || Err(Failure::Ours)).await, Err(Failure::Ours));
    advance(ms(5_000)).await;
    assert_eq!(call(1, || Err(Failure::Lost)).await, Err(Failure::Lost));
    assert_eq!(shed().await, 0, "one of two was accepted");
    advance(ms(7_000)).await;
    assert_eq!(shed().await, 0, "nobody has looked since");
    assert_eq!(call(1, || Err(Failure::Ours)).await, Err(Failure::Ours));
    assert!(shed().await > 0, "only the failure is remembered");
}

#[test]
fn x3_what_cannot_work_is_said_all_at_once() {
    let adaptive = Adaptive::aimd(0..=1).backoff(2.0).smoothing(0.5);
    let dependency = bare()
        .throttle(Throttle::accepts(0.0).max_rejection(2.0))
        .bulkhead(Bulkhead::adaptive(adaptive).max_wait("1s"));
    let problems = dependency.settings().unwrap_err();
    let found: Vec<_> = problems
        .iter()
        .map(|problem| (problem.policy, problem.setting))
        .collect();
    assert_eq!(
        found,
        [
            ("throttle", "accepts"),
            ("throttle", "max_rejection"),
            ("bulkhead", "aimd"),
            ("bulkhead", "backoff"),
            ("bulkhead", "smoothing"),
            ("bulkhead", "max_wait"),
        ]
    );
}
