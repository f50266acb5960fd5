//! Owners that die, sleep, or are given up.

use std::time::Duration;

use resilient_core::idempotency::{
    Begun, Effects, Fingerprint, Idempotency, Refusal, Request, Resolution, current,
};
use tokio::time::sleep;

use super::{answer, complete, id, keyed, ledger, repeat, run, superseded};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn i28_q04_a_killed_run_is_taken_over_after_its_lease() {
    let ledger = ledger(&keyed());
    let killed = run(&ledger, "k").await;
    let fence = killed.execution().fence();
    drop(killed);
    sleep(5 * SECOND).await;
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
    sleep(26 * SECOND).await;
    let next = run(&ledger, "k").await;
    assert!(next.execution().fence() > fence);
    assert_eq!(next.execution().attempts(), 2);
    complete(next, "two").await;
    assert_eq!(ledger.counts().takeovers, 1);
}

#[tokio::test(start_paused = true)]
async fn q03_another_payload_does_not_take_over_a_lapsed_run() {
    let ledger = ledger(&keyed());
    let of = |text: &'static str| {
        Request::new(id("k")).fingerprint(Fingerprint::of_bytes(&[text.as_bytes()]))
    };
    drop(ledger.begin(of("one")).await.unwrap());
    sleep(31 * SECOND).await;
    assert!(matches!(
        ledger.begin(of("two")).await,
        Err(Refusal::KeyReused)
    ));
    assert!(matches!(ledger.begin(of("one")).await, Ok(Begun::Run(_))));
}

/// I22: the key of a run that failed stays that of its payload, and the next one was not a takeover.
#[tokio::test(start_paused = true)]
async fn i22_q03_a_failed_run_is_followed_by_its_own_payload_only() {
    for effects in [Effects::None, Effects::Keyed] {
        let ledger = ledger(&Idempotency::of(effects));
        let of = |text: &str| {
            Request::new(id("k")).fingerprint(Fingerprint::of_bytes(&[text.as_bytes()]))
        };
        let Ok(Begun::Run(first)) = ledger.begin(of("one")).await else {
            panic!("the key is new");
        };
        let fence = first.execution().fence();
        first.fail().await.unwrap();
        let refused = ledger.begin(of("two")).await.unwrap_err();
        assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
        let Ok(Begun::Run(second)) = ledger.begin(of("one")).await else {
            panic!("the first one failed");
        };
        assert!(second.execution().fence() > fence);
        assert_eq!(second.execution().attempts(), 2);
        complete(second, "two").await;
        let counts = ledger.counts();
        let counted = (counts.executions, counts.failed, counts.retried);
        assert_eq!(counted, (2, 1, 1));
        assert_eq!((counts.takeovers, counts.released), (0, 0));
    }
}

/// Q03: a run that did nothing leaves no trace of itself, but says nothing of those before it.
#[tokio::test(start_paused = true)]
async fn i26_q03_a_released_run_does_not_speak_for_those_before_it() {
    let ledger = ledger(&keyed());
    let of =
        |text: &str| Request::new(id("k")).fingerprint(Fingerprint::of_bytes(&[text.as_bytes()]));
    drop(ledger.begin(of("one")).await.unwrap());
    sleep(31 * SECOND).await;
    let Ok(Begun::Run(second)) = ledger.begin(of("one")).await else {
        panic!("the first one fell silent");
    };
    second.release().await.unwrap();
    let refused = ledger.begin(of("two")).await.unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
    let Ok(Begun::Run(third)) = ledger.begin(of("one")).await else {
        panic!("the second one did nothing");
    };
    assert_eq!(third.execution().attempts(), 3);
}

#[tokio::test(start_paused = true)]
async fn i30_of_fifty_takeovers_one_wins() {
    let ledger = ledger(&keyed());
    drop(run(&ledger, "k").await);
    sleep(31 * SECOND).await;
    let _winner = run(&ledger, "k").await;
    for _ in 1..50 {
        assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
    }
}

#[tokio::test(start_paused = true)]
async fn i31_a_run_that_lives_keeps_its_lease() {
    let ledger = ledger(&keyed());
    let long = run(&ledger, "k").await;
    let meanwhile = async {
        sleep(60 * SECOND).await;
        assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
    };
    let (driven, ()) = tokio::join!(long.drive(sleep(90 * SECOND)), meanwhile);
    driven.unwrap();
    complete(long, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn i32_a_run_that_takes_too_long_is_given_up() {
    let ledger = ledger(&keyed().lease("9s").max_run("10s"));
    let hung = run(&ledger, "k").await;
    let meanwhile = async {
        sleep(45 * SECOND).await;
        complete(run(&ledger, "k").await, "two").await;
    };
    let (driven, ()) = tokio::join!(hung.drive(sleep(60 * SECOND)), meanwhile);
    driven.unwrap();
    assert_eq!(superseded(hung, "one").await.unwrap(), "two");
    assert_eq!(repeat(&ledger, "k").await, Ok("two".to_owned()));
    assert_eq!(ledger.counts().lease_lost, 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_dropped_when_its_lease_is_lost() {
    let ledger = ledger(&keyed());
    let zombie = run(&ledger, "k").await;
    assert!(ledger.remove(&id("k"), "tests").await.unwrap());
    let winner = run(&ledger, "k").await;
    let lost = zombie.drive(sleep(100 * SECOND)).await.unwrap_err();
    assert!(lost.to_string().contains("another owner"), "{lost}");
    assert_eq!(
        zombie.instead().await.unwrap_err().code(),
        "IDEMPOTENCY_LEASE_LOST"
    );
    complete(winner, "two").await;
    assert_eq!(superseded(zombie, "one").await.unwrap(), "two");
}

#[tokio::test(start_paused = true)]
async fn i58_a_fence_is_never_given_out_twice() {
    let ledger = ledger(&keyed());
    let first = run(&ledger, "k").await;
    assert!(ledger.remove(&id("k"), "tests").await.unwrap());
    let second = run(&ledger, "k").await;
    assert!(second.execution().fence() > first.execution().fence());
    assert!(
        superseded(first, "late").await.is_err(),
        "the second one is at work"
    );
    complete(second, "two").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("two".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_repeated_is_uncertain_when_its_lease_lapses() {
    let ledger = ledger(&Idempotency::of(Effects::Unkeyed).ttl("1h"));
    drop(run(&ledger, "k").await);
    sleep(31 * SECOND).await;
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_UNCERTAIN"));
    sleep(1000 * 3600 * SECOND).await;
    assert_eq!(
        repeat(&ledger, "k").await,
        Err("IDEMPOTENCY_UNCERTAIN"),
        "it does not expire"
    );
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_comes_back_ends_the_uncertainty() {
    let ledger = ledger(&Idempotency::of(Effects::Unkeyed));
    let frozen = run(&ledger, "k").await;
    sleep(31 * SECOND).await;
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_UNCERTAIN"));
    frozen.drive(sleep(60 * SECOND)).await.unwrap();
    complete(frozen, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn someone_who_finds_out_settles_it() {
    let rules = Idempotency::of(Effects::Unkeyed);
    let rows: [(Resolution, Result<&str, &str>); 4] = [
        (
            Resolution::Completed {
                answer: answer("found"),
                resource: None,
            },
            Ok("found"),
        ),
        (
            Resolution::Done { resource: None },
            Err("IDEMPOTENCY_ANSWER_GONE"),
        ),
        (Resolution::Unknown, Err("IDEMPOTENCY_UNCERTAIN")),
        (Resolution::NotExecuted, Err("runs")),
    ];
    for (resolution, expected) in rows {
        let ledger = ledger(&rules);
        drop(run(&ledger, "k").await);
        sleep(31 * SECOND).await;
        let shown = format!("{resolution:?}");
        let resolve = move |_: &_| std::future::ready(resolution.clone());
        let begun = ledger.begin(Request::new(id("k")).resolve(&resolve)).await;
        let found = match &begun {
            Ok(resilient_core::idempotency::Begun::Replay(answer)) => Ok(super::text(answer)),
            Ok(_) => Err("runs"),
            Err(refusal) => Err(refusal.code()),
        };
        assert_eq!(
            found.as_deref(),
            expected.as_ref().map(|text| *text),
            "{shown}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn code_inside_a_run_knows_its_fence_and_keys() {
    let ledger = ledger(&keyed());
    let first = run(&ledger, "k").await;
    let inside = first.drive(async { current() }).await.unwrap().unwrap();
    assert_eq!(inside.fence(), first.execution().fence());
    let derived = inside.derived_key("charge");
    assert!(current().is_none(), "only inside");
    drop(first);
    sleep(31 * SECOND).await;
    let second = run(&ledger, "k").await;
    let again = second.drive(async { current() }).await.unwrap().unwrap();
    assert_eq!(
        again.derived_key("charge"),
        derived,
        "the same in every run"
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_takes_over_is_told_how_far_it_came() {
    let ledger = ledger(&keyed());
    let first = run(&ledger, "k").await;
    first.checkpoint("charged").await.unwrap();
    drop(first);
    sleep(31 * SECOND).await;
    let second = run(&ledger, "k").await;
    assert_eq!(second.execution().checkpoint(), Some("charged"));
    assert!(ledger.remove(&id("k"), "tests").await.unwrap());
    let refused = second.checkpoint("shipped").await.unwrap_err();
    assert!(matches!(refused, Refusal::LeaseLost { .. }));
}

/// I11, I21: whoever sends another payload knows nothing of the run that is uncertain, and what they
/// would find out of their own must not settle it.
#[tokio::test(start_paused = true)]
async fn q03_another_payload_settles_no_uncertain_run() {
    let ledger = ledger(&Idempotency::of(Effects::Unkeyed));
    let asked = |payload: &str| Fingerprint::of_bytes(&[payload.as_bytes()]);
    let tea = Request::new(id("k")).fingerprint(asked("tea"));
    drop(ledger.begin(tea).await.unwrap());
    sleep(31 * SECOND).await;

    let resolve = |_: &_| std::future::ready(Resolution::NotExecuted);
    let coffee = Request::new(id("k")).fingerprint(asked("coffee"));
    let refused = ledger.begin(coffee.resolve(&resolve)).await.unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(ledger.backlog().await.unwrap().uncertain, 1);
}
