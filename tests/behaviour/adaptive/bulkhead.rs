//! A1: what moves a limit, and that it is exact wherever it moves.

use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::task::Poll;

use resilient::breaker::Breaker;
use resilient::bulkhead::{Adaptive, Bulkhead};
use resilient::retry::{Jitter, Retry};
use resilient::throttle::Throttle;
use resilient::{Dependency, resilient, scope};
use tokio::time::{advance, sleep};

use super::{
    Answer, Calls, Failure, all_end, at_once, bare, full, hold, limit, limit_beside, ms, poll_once,
    registered,
};

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

#[resilient(bulkhead = "dep")]
async fn nested() -> Answer {
    only_fenced_in().await
}

#[resilient(bulkhead = "dep", timeout = "100ms")]
async fn hangs() -> Answer {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn a1_a_call_inside_is_no_sample_of_its_own_and_a_hang_needs_no_breaker_to_be_seen() {
    let adaptive = Adaptive::aimd(1..=100).initial(2).window("1ms");
    let (registry, policy) = registered(bare().bulkhead(Bulkhead::adaptive(adaptive)));
    scope(&registry, async {
        // Two samples make a window, and the next attempt ends it.
        for expected in [2, 2, 3] {
            nested().await.unwrap();
            assert_eq!(limit(&policy), expected);
        }
        for expected in [3, 3, 2] {
            let hang = tokio::time::timeout(ms(60), hangs());
            assert!(hang.await.is_err());
            assert_eq!(limit(&policy), expected);
        }
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
