//! How a run ends, and what the next one under its key is told.

use std::error::Error;

use resilient_core::idempotency::{
    Answer, Effects, Ended, Idempotency, Ledger, MemoryStore, RecordId, Refusal, Request, Resource,
    Run, Seal, State,
};

use super::flaky::Flaky;
use super::{answer, complete, id, keyed, ledger, repeat, run};

#[derive(Clone, Copy, Debug)]
enum End {
    Complete,
    WithoutBody,
    Fail,
    Release,
    Drop,
}

async fn end(run: Run, how: End) {
    let ended = match how {
        End::Complete => run.complete(answer("one"), None).await,
        End::WithoutBody => run.complete_without_body(None).await,
        End::Fail => run.fail().await,
        End::Release => run.release().await,
        End::Drop => return,
    };
    assert!(matches!(ended, Ok(Ended::Stored)), "{how:?}: {ended:?}");
}

/// `None` where the next one runs.
async fn next(ledger: &Ledger) -> Option<Result<String, &'static str>> {
    use resilient_core::idempotency::Begun;
    match ledger.begin(Request::new(id("k"))).await {
        Ok(Begun::Run(_)) => None,
        Ok(Begun::Replay(answer)) => Some(Ok(super::text(&answer))),
        Ok(Begun::Bypassed) => panic!("the store is there"),
        Err(refusal) => Some(Err(refusal.code())),
    }
}

#[tokio::test(start_paused = true)]
async fn q04_q05_i22_each_end_has_its_outcome() {
    let rows = [
        (Effects::None, End::Fail, None),
        (Effects::Keyed, End::Fail, None),
        (
            Effects::Unkeyed,
            End::Fail,
            Some(Err("IDEMPOTENCY_UNCERTAIN")),
        ),
        (Effects::Keyed, End::Release, None),
        (Effects::Unkeyed, End::Release, None),
        (
            Effects::Keyed,
            End::Drop,
            Some(Err("IDEMPOTENCY_IN_PROGRESS")),
        ),
        (
            Effects::Unkeyed,
            End::Drop,
            Some(Err("IDEMPOTENCY_IN_PROGRESS")),
        ),
        (Effects::Keyed, End::Complete, Some(Ok("one".to_owned()))),
        (Effects::Unkeyed, End::Complete, Some(Ok("one".to_owned()))),
        (
            Effects::Unkeyed,
            End::WithoutBody,
            Some(Err("IDEMPOTENCY_ANSWER_GONE")),
        ),
    ];
    for (effects, how, expected) in rows {
        let ledger = ledger(&Idempotency::of(effects));
        end(run(&ledger, "k").await, how).await;
        assert_eq!(next(&ledger).await, expected, "{effects:?} {how:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn i46_an_answer_over_the_limit_is_not_kept_and_does_not_run_again() {
    let ledger = ledger(&keyed().body_limit(3));
    complete(run(&ledger, "k").await, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
    let large = run(&ledger, "l").await;
    let resource = Some(Resource::new("order", 7));
    large.complete(answer("four"), resource).await.unwrap();
    let refused = ledger.begin(Request::new(id("l"))).await.unwrap_err();
    assert!(matches!(refused, Refusal::AnswerGone { .. }));
    assert!(refused.to_string().contains("made order 7"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_for_a_moment_loses_no_answer() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &keyed()).unwrap();
    let first = run(&ledger, "k").await;
    failures.next(2);
    complete(first, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
    assert_eq!(ledger.counts().store_errors, 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_storing_was_not_told_is_stored_once() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &keyed()).unwrap();
    let first = run(&ledger, "k").await;
    failures.next_answers(1);
    complete(first, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_away_is_told_and_the_lease_decides() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &keyed()).unwrap();
    let first = run(&ledger, "k").await;
    failures.next(3);
    let ended = first.complete(answer("one"), None).await;
    assert!(ended.is_err(), "{ended:?}");
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
}

#[tokio::test(start_paused = true)]
async fn i42_without_the_store_nothing_runs_unless_that_was_asked_for() {
    use resilient_core::idempotency::Begun;
    let store = Flaky::default();
    let failures = store.failures();
    let closed = Ledger::new(store, &keyed()).unwrap();
    let open = closed.with_rules(&keyed().fail_open()).unwrap();
    // Two that ask and one that withdraws; two that ask.
    failures.next(5);
    let refused = closed.begin(Request::new(id("k"))).await.unwrap_err();
    assert_eq!((refused.status(), refused.retry_after()), (503, Some(5)));
    let begun = open.begin(Request::new(id("k"))).await;
    assert!(matches!(begun, Ok(Begun::Bypassed)), "{begun:?}");
    assert_eq!(closed.counts().bypassed, 1);
}

#[tokio::test(start_paused = true)]
async fn q05_a_claim_that_was_won_without_being_told_runs() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &Idempotency::of(Effects::Unkeyed)).unwrap();
    failures.next_answers(1);
    let first = run(&ledger, "k").await;
    assert_eq!(first.execution().attempts(), 1);
    complete(first, "one").await;
}

/// Q05: a claim that is written while nobody is told is asked for again in time, or taken back: nothing
/// ran, so nothing is uncertain.
#[tokio::test(start_paused = true)]
async fn q05_a_claim_whose_answer_is_late_is_won_once() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &Idempotency::of(Effects::Unkeyed)).unwrap();
    failures.swallow(1);
    let start = tokio::time::Instant::now();
    let first = run(&ledger, "k").await;
    assert_eq!(
        start.elapsed().as_millis(),
        1_000,
        "half of the store's time"
    );
    assert_eq!(first.execution().attempts(), 1);
    complete(first, "one").await;

    failures.swallow(2);
    let refused = ledger.begin(Request::new(id("l"))).await.unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_STORE_UNAVAILABLE");
    let second = run(&ledger, "l").await;
    assert_eq!(second.execution().attempts(), 1);
    assert_eq!(ledger.counts().uncertain, 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_is_not_waited_for() {
    let store = Flaky::default();
    let failures = store.failures();
    let ledger = Ledger::new(store, &keyed().store_timeout("250ms")).unwrap();
    failures.hang(true);
    let start = tokio::time::Instant::now();
    let refused = ledger.begin(Request::new(id("k"))).await.unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_STORE_UNAVAILABLE");
    assert_eq!(start.elapsed().as_millis(), 250);
}

/// Turns every byte over, and knows whose body it is.
#[derive(Debug)]
struct Turned;

impl Seal for Turned {
    fn seal(&self, id: &RecordId, body: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
        if body.is_empty() {
            return Err("nothing to seal".into());
        }
        let mut sealed: Vec<u8> = body.into_iter().map(|byte| !byte).collect();
        sealed.extend(id.digest().bytes());
        Ok(sealed)
    }

    fn open(&self, id: &RecordId, body: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
        let digest = id.digest();
        let plain = body
            .strip_suffix(digest.as_bytes())
            .ok_or("another record's")?;
        Ok(plain.iter().map(|byte| !byte).collect())
    }
}

#[tokio::test(start_paused = true)]
async fn a_sealed_body_is_stored_unreadable_and_replayed_as_it_was() {
    let ledger = Ledger::new(MemoryStore::new(9), &keyed()).unwrap();
    let ledger = ledger.sealed(Turned).unwrap();
    complete(run(&ledger, "k").await, "secret").await;
    let record = ledger.show(&id("k")).await.unwrap().unwrap();
    let Answer { body, .. } = record.answer.unwrap();
    assert!(!String::from_utf8_lossy(&body).contains("secret"));
    assert_eq!(repeat(&ledger, "k").await, Ok("secret".to_owned()));

    complete(run(&ledger, "unsealable").await, "").await;
    let record = ledger.show(&id("unsealable")).await.unwrap().unwrap();
    assert_eq!(
        record.state,
        State::BodyDropped,
        "done, and not stored in the open"
    );
}
