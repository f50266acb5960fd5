//! A payment client as guides write it, chapter by chapter: what it promises, and where the code of
//! such guides does not keep it.
//!
//! Numbers and names are a guide's; the numbers in the tests' names count what its code gets wrong.

use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState, Per};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Class, Dependency, Registry, Rejection, context, resilient, scope};
use tokio::task::JoinSet;
use tokio::time::advance;

use crate::script::Step::{F, Fault, Hang, Permanent, S, SlowF, SlowS, Throttled};
use crate::script::{Answer, Failure, Script, Step, poll_once};

struct Order {
    id: String,
}

fn payment() -> Dependency {
    Dependency::named("payment")
        .breaker(
            Breaker::consecutive(5)
                .within("10s")
                .open_for("30s")
                .close_after(2)
                .per(Per::Call),
        )
        .budget(Budget::tokens(100).refill_per_success(0.1))
        .bulkhead(Bulkhead::max_concurrent(10).max_queue(100))
        .retry(Retry::max(4).base("100ms").cap("20s").jitter(Jitter::Full))
        .timeout("5s")
        .deadline("15s")
}

#[resilient(dependency = "payment", idempotency_key = order.id)]
async fn charge(provider: &Script, order: &Order) -> Answer {
    let key = context().idempotency_key().map(ToString::to_string);
    assert_eq!(key.as_deref(), Some(&*order.id));
    provider.attempt().await
}

fn registered(payment: Dependency) -> Registry {
    let registry = Registry::seeded(1);
    registry.register(payment).unwrap();
    registry
}

/// A call of its own task, whose provider does these steps.
async fn charged(registry: &Registry, steps: &[Step]) -> (Answer, Script) {
    let (registry, provider) = (registry.clone(), Script::new(steps));
    let client = provider.clone();
    let order = Order {
        id: "order-4711".to_owned(),
    };
    let call = async move { scope(&registry, charge(&client, &order)).await };
    (tokio::spawn(call).await.unwrap(), provider)
}

fn state(registry: &Registry) -> BreakerState {
    registry.breaker("payment").unwrap().state()
}

mod idempotency_key {
    use super::*;

    /// One key for one intention to charge, however often it is sent.
    #[tokio::test(start_paused = true)]
    async fn every_attempt_carries_the_key_of_its_order() {
        // `charge` looks at the key in each attempt.
        let (outcome, provider) = charged(&registered(payment()), &[F, F, F, S]).await;
        assert_eq!((outcome, provider.starts().len()), (Ok(200), 4));
    }
}

mod classification {
    use super::*;

    /// The one place that decides what is worth repeating.
    #[tokio::test(start_paused = true)]
    async fn network_timeout_server_and_throttled_may_pass_client_and_business_do_not() {
        use resilient::classify::StatusClasses;

        let statuses = StatusClasses::default();
        for (status, repeats) in [
            (502, true),
            (503, true),
            (504, true),
            (429, true),
            (400, false),
            (401, false),
            (404, false),
            (409, false),
            (422, false),
        ] {
            let class = statuses.of(status);
            let may_pass = matches!(class, Class::Transient { .. } | Class::Throttled { .. });
            assert_eq!(may_pass, repeats, "{status}");
        }
        for (step, attempts) in [(F, 4), (Hang, 3), (Throttled(10), 4), (Permanent, 1)] {
            let (_, provider) = charged(&registered(payment()), &[step; 9]).await;
            // Three attempts of 5 s are all that a deadline of 15 s has room for.
            assert_eq!(provider.starts().len(), attempts, "{step:?}");
        }
    }

    /// The guide throws a plain error for a 4xx, and all plain errors become `network`; so does
    /// a 500, which its types do not know.
    #[tokio::test(start_paused = true)]
    async fn wrong_2_an_answer_and_a_broken_server_are_not_repeated() {
        for (step, failure, attempts) in [
            (Permanent, Failure::Permanent, 1),
            (Fault, Failure::Fault, 1),
            (F, Failure::Transient, 4),
        ] {
            let (outcome, provider) = charged(&registered(payment()), &[step; 9]).await;
            assert_eq!(outcome, Err(failure));
            assert_eq!(provider.starts().len(), attempts, "{step:?}");
        }
    }
}

mod backoff_and_jitter {
    use super::*;

    /// `sleep = random(0, min(cap, base * 2^attempt))`, and its three sisters.
    #[tokio::test(start_paused = true)]
    async fn each_formula_keeps_its_bounds() {
        // base 100 ms, cap 300 ms: 100, 200, 300.
        let rows: [(Jitter, [(u64, u64); 3]); 4] = [
            (Jitter::None, [(100, 100), (200, 200), (300, 300)]),
            (Jitter::Full, [(0, 101), (0, 201), (0, 301)]),
            (Jitter::Equal, [(50, 101), (100, 201), (150, 301)]),
            (Jitter::Decorrelated, [(100, 301), (100, 301), (100, 301)]),
        ];
        for (jitter, bounds) in rows {
            for _ in 0..20 {
                let retry = Retry::max(4).base("100ms").cap("300ms").jitter(jitter);
                let (_, provider) = charged(&registered(payment().retry(retry)), &[F; 4]).await;
                let starts = provider.starts();
                for (pair, (least, most)) in starts.windows(2).zip(bounds) {
                    let waited = pair[1] - pair[0];
                    assert!((least..=most).contains(&waited), "{jitter:?} {starts:?}");
                }
            }
        }
    }

    /// An end to it, and no sleep after the last attempt.
    #[tokio::test(start_paused = true)]
    async fn attempts_are_bounded_and_the_last_is_not_followed_by_a_sleep() {
        let retry = Retry::max(4).base("100ms").cap("20s").jitter(Jitter::None);
        let (outcome, provider) = charged(&registered(payment().retry(retry)), &[F; 99]).await;
        assert_eq!(outcome, Err(Failure::Transient));
        assert_eq!(provider.starts(), [0, 100, 300, 700]);
        assert_eq!(provider.elapsed(), 700);
    }

    /// `max(retryAfter, jitter)` is `retryAfter` for everyone.
    #[tokio::test(start_paused = true)]
    async fn wrong_7_throttled_clients_do_not_return_in_the_same_instant() {
        let registry = registered(payment());
        let mut calls = JoinSet::new();
        for _ in 0..10 {
            let registry = registry.clone();
            calls.spawn(async move { charged(&registry, &[Throttled(2_000), S]).await });
        }
        let mut returns = Vec::new();
        for (outcome, provider) in calls.join_all().await {
            assert_eq!(outcome, Ok(200));
            returns.push(provider.starts()[1]);
        }
        returns.sort_unstable();
        assert!(returns[0] >= 2_000 && returns[9] <= 2_101, "{returns:?}");
        returns.dedup();
        assert!(returns.len() >= 8, "{returns:?}");
    }
}

mod retry_budget {
    use super::*;

    /// The guide takes a token for first attempts too: once empty, no call runs, so none succeeds,
    /// so it stays empty.
    #[tokio::test(start_paused = true)]
    async fn wrong_1_an_empty_budget_stops_retries_and_no_first_attempt() {
        // Two calls that fail in every attempt spend all tokens.
        let small = Budget::tokens(6).refill_per_success(0.5).refill_every("1h");
        let registry = registered(payment().budget(small));
        for attempts in [4, 4, 1] {
            let (outcome, provider) = charged(&registry, &[F; 4]).await;
            assert_eq!(outcome, Err(Failure::Transient));
            assert_eq!(provider.starts().len(), attempts);
        }
        for _ in 0..2 {
            assert_eq!(charged(&registry, &[S]).await.0, Ok(200));
        }
        let (outcome, provider) = charged(&registry, &[F, S]).await;
        assert_eq!((outcome, provider.starts().len()), (Ok(200), 2));
    }

    /// The guide answers `throttled`, as if the server had said so.
    #[tokio::test(start_paused = true)]
    async fn wrong_5_a_refused_retry_leaves_the_failure_what_it_was() {
        let registry = registered(payment().budget(Budget::tokens(1)));
        let (outcome, provider) = charged(&registry, &[F, F, S]).await;
        assert_eq!(outcome, Err(Failure::Transient));
        assert_eq!(provider.starts().len(), 2);
    }
}

mod timeouts_and_deadline {
    use super::*;

    /// What runs out of time is cancelled, not only no longer waited for.
    #[tokio::test(start_paused = true)]
    async fn an_attempt_is_dropped_when_its_time_is_over() {
        let registry = registered(payment().retry(Retry::max(2).base("0s")));
        let (outcome, provider) = charged(&registry, &[Hang, SlowS(4_000)]).await;
        assert_eq!((outcome, provider.running()), (Ok(200), 0));
        assert_eq!(
            (provider.starts(), provider.elapsed()),
            (vec![0, 5_000], 9_000)
        );
    }

    /// The guide knows a timeout by the name of one error, and lets the deadline's abort of a
    /// sleep out as an untyped one.
    #[tokio::test(start_paused = true)]
    async fn wrong_6_every_way_time_runs_out_has_its_own_outcome() {
        type Expected = fn(&Answer) -> bool;
        let timed_out: Expected =
            |answer| matches!(answer, Err(Failure::Rejected(Rejection::TimedOut { .. })));
        let too_late: Expected = |answer| {
            matches!(
                answer,
                Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
            )
        };
        let failed: Expected = |answer| *answer == Err(Failure::Transient);
        let slowly = || Retry::max(4).base("10s").cap("20s").jitter(Jitter::None);
        let rows: [(&str, Dependency, &[Step], Expected, u64); 4] = [
            (
                "each attempt",
                payment().retry(Retry::max(2).base("0s")),
                &[Hang; 2],
                timed_out,
                10_000,
            ),
            (
                "the call",
                payment().retry(Retry::max(4).base("0s")),
                &[Hang; 4],
                too_late,
                15_000,
            ),
            (
                "the call, after a failure",
                payment().retry(slowly()),
                &[SlowF(4_900), SlowF(4_900)],
                failed,
                15_000,
            ),
            (
                // Its sleep would end too late, so it does not begin.
                "a sleep",
                payment().retry(slowly()).deadline("9s"),
                &[SlowF(100)],
                failed,
                100,
            ),
        ];
        for (what, payment, steps, expected, ends) in rows {
            let (outcome, provider) = charged(&registered(payment), steps).await;
            assert!(expected(&outcome), "{what}: {outcome:?}");
            assert_eq!(
                (provider.elapsed(), provider.running()),
                (ends, 0),
                "{what}"
            );
        }
    }
}

mod circuit_breaker {
    use super::*;

    async fn broken() -> Registry {
        let registry = registered(payment().retry(Retry::never()));
        for _ in 0..5 {
            let _ = charged(&registry, &[F]).await;
        }
        assert_eq!(state(&registry), BreakerState::Open);
        registry
    }

    /// Closed, open, half-open, and what leads from one to the other.
    #[tokio::test(start_paused = true)]
    async fn five_failures_in_ten_seconds_open_it_and_two_successes_close_it() {
        let fail = async |registry: &Registry, times: usize| {
            for _ in 0..times {
                let _ = charged(registry, &[F]).await;
            }
        };
        let registry = registered(payment().retry(Retry::never()));
        // A success clears the count, and so does time.
        fail(&registry, 4).await;
        let _ = charged(&registry, &[S]).await;
        fail(&registry, 4).await;
        advance(Duration::from_secs(11)).await;
        fail(&registry, 4).await;
        // What the provider refuses says that it is there.
        let _ = charged(&registry, &[Permanent]).await;
        fail(&registry, 4).await;
        assert_eq!(state(&registry), BreakerState::Closed);
        fail(&registry, 1).await;
        assert_eq!(state(&registry), BreakerState::Open);
        // Open: the provider is left alone.
        let (_, provider) = charged(&registry, &[S]).await;
        assert_eq!((provider.starts().len(), provider.elapsed()), (0, 0));
        // One failed probe opens it again.
        advance(Duration::from_secs(36)).await;
        let _ = charged(&registry, &[S]).await;
        assert_eq!(state(&registry), BreakerState::HalfOpen);
        fail(&registry, 1).await;
        assert_eq!(state(&registry), BreakerState::Open);
        advance(Duration::from_secs(36)).await;
        for _ in 0..2 {
            assert_eq!(charged(&registry, &[S]).await.0, Ok(200));
        }
        assert_eq!(state(&registry), BreakerState::Closed);
    }

    /// Every change is told, with the dependency's name.
    #[tokio::test(start_paused = true)]
    async fn every_change_of_state_is_told() {
        let (tell, told) = std::sync::mpsc::channel();
        let breaker = Breaker::consecutive(1).on_transition(move |transition| {
            let _ = tell.send((transition.dependency.to_string(), transition.to));
        });
        let registry = registered(payment().retry(Retry::never()).breaker(breaker));
        let _ = charged(&registry, &[F]).await;
        let payment = "payment".to_owned();
        assert_eq!(told.try_recv(), Ok((payment, BreakerState::Open)));
    }

    /// The guide's half-open lets everyone through.
    #[tokio::test(start_paused = true)]
    async fn wrong_3_half_open_lets_two_probes_through() {
        let registry = broken().await;
        advance(Duration::from_secs(36)).await;
        let mut calls = JoinSet::new();
        for _ in 0..10 {
            let registry = registry.clone();
            calls.spawn(async move { charged(&registry, &[SlowS(10)]).await });
        }
        let ran = calls.join_all().await;
        let ran = ran
            .iter()
            .filter(|(_, provider)| provider.starts().len() == 1);
        assert_eq!(ran.count(), 2);
        assert_eq!(state(&registry), BreakerState::Closed);
    }

    /// The guide applies a result to whatever state it finds.
    #[tokio::test(start_paused = true)]
    async fn wrong_3_a_late_result_changes_nothing() {
        let registry = registered(payment().retry(Retry::never()).no_timeout().no_deadline());
        let mut late = JoinSet::new();
        for step in [SlowS(40_000)].into_iter().chain([SlowF(50_000); 5]) {
            let registry = registry.clone();
            late.spawn(async move { charged(&registry, &[step]).await });
        }
        tokio::task::yield_now().await;
        for _ in 0..5 {
            let _ = charged(&registry, &[F]).await;
        }
        tokio::time::sleep(Duration::from_secs(37)).await;
        assert_eq!(charged(&registry, &[S]).await.0, Ok(200));
        assert!(late.join_next().await.is_some());
        assert_eq!(
            state(&registry),
            BreakerState::HalfOpen,
            "one success of two"
        );
        assert_eq!(charged(&registry, &[S]).await.0, Ok(200));
        assert_eq!(late.join_all().await.len(), 5);
        assert_eq!(state(&registry), BreakerState::Closed, "no failure of five");
    }

    /// The guide counts every failure that may be retried, a 429 too.
    #[tokio::test(start_paused = true)]
    async fn wrong_8_a_server_that_asks_for_patience_is_not_broken() {
        let registry = registered(payment().retry(Retry::never()));
        for _ in 0..50 {
            let (outcome, _) = charged(&registry, &[Throttled(1_000)]).await;
            assert!(matches!(outcome, Err(Failure::Throttled(_))));
        }
        assert_eq!(state(&registry), BreakerState::Closed);
    }
}

mod bulkhead {
    use super::*;

    #[resilient(dependency = "email", idempotent)]
    async fn send_receipt(mail: &Script) -> Answer {
        mail.attempt().await
    }

    /// Mail that hangs takes its three places, and none of the ten of payments.
    #[tokio::test(start_paused = true)]
    async fn a_dependency_that_is_stuck_leaves_the_others_alone() {
        let registry = registered(payment());
        let email = Dependency::named("email").bulkhead(Bulkhead::max_concurrent(3));
        registry.register(email).unwrap();
        let mail = Script::new(&[Hang; 9]);
        let mut stuck: Vec<_> = (0..5)
            .map(|_| Box::pin(scope(&registry, send_receipt(&mail))))
            .collect();
        for call in &mut stuck {
            let _ = poll_once(call.as_mut());
        }
        assert_eq!(mail.running(), 3);
        let mut payments = JoinSet::new();
        for _ in 0..10 {
            let registry = registry.clone();
            payments.spawn(async move { charged(&registry, &[SlowS(10)]).await.0 });
        }
        let paid = payments.join_all().await;
        assert!(
            paid.iter().all(Result::is_ok) && paid.len() == 10,
            "{paid:?}"
        );
    }

    /// The guide's semaphore counts whom it wakes when he runs, so a newcomer can slip in before.
    #[tokio::test(start_paused = true)]
    async fn wrong_4_a_newcomer_does_not_slip_in_beside_the_one_who_waited() {
        let registry = registered(payment().bulkhead(Bulkhead::max_concurrent(1).max_queue(9)));
        let (first, waiting, newcomer) = (
            Script::new(&[Hang]),
            Script::new(&[Hang]),
            Script::new(&[Hang]),
        );
        let order = Order { id: String::new() };
        let call = |provider| Box::pin(scope(&registry, charge(provider, &order)));
        let mut calls = [call(&first), call(&waiting)];
        for call in &mut calls {
            assert!(poll_once(call.as_mut()).is_pending());
        }
        let [held, mut waited] = calls;
        // The permit is free, and the one who waits for it has been woken but has not run.
        drop(held);
        let mut slips_in = call(&newcomer);
        assert!(poll_once(slips_in.as_mut()).is_pending());
        assert!(poll_once(waited.as_mut()).is_pending());
        assert_eq!((waiting.running(), newcomer.running()), (1, 0));
    }
}

mod composition {
    use super::*;

    /// Everything together: what the guide promises of its client.
    #[tokio::test(start_paused = true)]
    async fn a_charge_survives_a_bad_moment_and_an_outage_costs_nothing() {
        let registry = registered(payment());
        let bad_moment = [F, Throttled(1_000), Hang, S];
        let (outcome, provider) = charged(&registry, &bad_moment).await;
        assert_eq!((outcome, provider.starts().len()), (Ok(200), 4));
        for _ in 0..5 {
            assert_eq!(charged(&registry, &[F; 4]).await.0, Err(Failure::Transient));
        }
        let (outcome, provider) = charged(&registry, &[S]).await;
        assert!(matches!(
            outcome,
            Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
        ));
        assert_eq!((provider.starts().len(), provider.elapsed()), (0, 0));
        advance(Duration::from_secs(36)).await;
        for _ in 0..2 {
            assert_eq!(charged(&registry, &[S]).await.0, Ok(200));
        }
        assert_eq!(state(&registry), BreakerState::Closed);
    }
}
