//! Section 8, and the rows of section 9 about a fallback: what a call does instead of failing.

use resilient::breaker::Breaker;
use resilient::{Dependency, resilient, scope, testing};

use crate::script::Step::{self, F, Fault, Ignored, Permanent, S, SlowF, Throttled};
use crate::script::row::End::{self, Done, Failed};
use crate::script::row::{at_once, bare, hears};
use crate::script::{Answer, Failure, Script, by_value, registered, told};

/// Calls after each other, of a function that falls back on the value 1.
struct Fallen {
    id: &'static str,
    /// Where others do otherwise: why we do not.
    why: &'static str,
    dependency: fn(Dependency) -> Dependency,
    steps: &'static [Step],
    attempts: usize,
    ends: &'static [End],
    told: &'static [&'static str],
}

const FALLEN: Fallen = Fallen {
    id: "",
    why: "",
    dependency: bare,
    steps: &[],
    attempts: 1,
    ends: &[FELL_BACK],
    told: &[],
};

const FELL_BACK: End = End::Value(1);

const BY_CLASS: &str =
    "the class decides: everything but an answer, which the caller has to see, is fallen back from";

const OUTERMOST: &str =
    "a fallback is outermost: it hides nothing from the policies, and runs when they are done";

const ROWS: &[Fallen] = &[
    Fallen {
        id: "FB-01 one retry",
        dependency: |d| bare(d).retry(at_once(2)),
        steps: &[F; 9],
        attempts: 2,
        ..FALLEN
    },
    Fallen {
        id: "FB-01 two retries",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[F; 9],
        attempts: 3,
        ..FALLEN
    },
    Fallen {
        id: "FB-02",
        steps: &[F],
        ..FALLEN
    },
    Fallen {
        id: "FB-05 transient",
        why: BY_CLASS,
        steps: &[F],
        ..FALLEN
    },
    Fallen {
        id: "FB-05 fault",
        why: BY_CLASS,
        steps: &[Fault],
        ..FALLEN
    },
    Fallen {
        id: "FB-05 throttled",
        why: BY_CLASS,
        steps: &[Throttled(60_000)],
        ..FALLEN
    },
    Fallen {
        id: "FB-05 ignored",
        why: BY_CLASS,
        steps: &[Ignored],
        ..FALLEN
    },
    Fallen {
        id: "FB-05 permanent",
        why: BY_CLASS,
        steps: &[Permanent],
        ends: &[Failed(Permanent)],
        ..FALLEN
    },
    Fallen {
        id: "FB-09 CO-20",
        dependency: |d| bare(d).breaker(Breaker::consecutive(1)),
        steps: &[F],
        ends: &[FELL_BACK, FELL_BACK],
        told: &[
            "call.fallback kind=network",
            "call.fallback kind=breaker_open",
        ],
        ..FALLEN
    },
    Fallen {
        id: "FB-10 applied",
        steps: &[SlowF(10)],
        told: &["call.fallback kind=network", "call.fell_back failed=false"],
        ..FALLEN
    },
    Fallen {
        id: "FB-10 not applied",
        steps: &[S, Permanent, F],
        attempts: 3,
        ends: &[Done, Failed(Permanent), FELL_BACK],
        told: &["call.fallback kind=network"],
        ..FALLEN
    },
    Fallen {
        id: "FB-14",
        steps: &[S],
        ends: &[Done],
        ..FALLEN
    },
    Fallen {
        id: "FB-15 CF-11",
        why: "there is no switch for all policies but one; each can be turned off where it is registered",
        dependency: |d| bare(d).retry(at_once(1)),
        steps: &[F, S],
        ..FALLEN
    },
    Fallen {
        id: "CO-17",
        why: OUTERMOST,
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[F, F, F, S],
        attempts: 3,
        ..FALLEN
    },
    Fallen {
        id: "CO-25",
        why: OUTERMOST,
        dependency: |d| bare(d).retry(at_once(3)).breaker(Breaker::consecutive(9)),
        steps: &[F, F, S],
        attempts: 3,
        ends: &[Done],
        ..FALLEN
    },
];

#[resilient(dependency = "dep", idempotent, fallback = one())]
async fn guarded(script: &Script) -> Answer {
    script.attempt().await
}

#[allow(
    clippy::unused_async,
    reason = "a fallback is async, whether it waits or not"
)]
async fn one(_failure: Failure) -> Answer {
    Ok(1)
}

#[tokio::test(start_paused = true)]
async fn rows() {
    for row in ROWS {
        told::listen();
        let (registry, _) = registered((row.dependency)(Dependency::named("dep")), "dep");
        let script = Script::new(row.steps);
        let mut ends = Vec::new();
        for _ in row.ends {
            ends.push(End::of(&scope(&registry, guarded(&script)).await));
        }
        let id = format!("{} {}", row.id, row.why);
        assert_eq!(
            (&*ends, script.starts().len()),
            (row.ends, row.attempts),
            "{id}"
        );
        if !row.told.is_empty() {
            hears(row.told, &told::take()).expect(row.id);
        }
    }
}

#[resilient(dependency = "dep", idempotent, fallback = fails())]
async fn unlucky(script: &Script) -> Answer {
    script.attempt().await
}

#[allow(
    clippy::unused_async,
    reason = "a fallback is async, whether it waits or not"
)]
async fn fails(_failure: Failure) -> Answer {
    Err(Failure::Fault)
}

// case FB-12
// case FB-10
#[tokio::test(start_paused = true)]
async fn a_fallback_that_fails_is_the_outcome() {
    told::listen();
    let (registry, _) = registered(bare(Dependency::named("dep")), "dep");
    let outcome = scope(&registry, unlucky(&Script::new(&[F]))).await;
    assert_eq!(outcome, Err(Failure::Fault));
    let expected = ["call.fallback kind=network", "call.fell_back failed=true"];
    hears(&expected, &told::take()).expect("both are told");
}

#[resilient(dependency = "dep", idempotent, classify = by_value, fallback = one())]
async fn answers(script: &Script) -> Answer {
    script.attempt().await
}

// case FB-11: a fallback takes the error: an unwanted answer is the caller's, unless the body makes an error of it
#[tokio::test(start_paused = true)]
async fn an_unwanted_answer_is_not_fallen_back_from() {
    let (registry, _) = registered(bare(Dependency::named("dep")), "dep");
    for (step, outcome) in [
        (Step::Value(500), Ok(500)),
        (Step::Value(400), Ok(400)),
        (F, Ok(1)),
    ] {
        let script = Script::new(&[step]);
        assert_eq!(
            scope(&registry, answers(&script)).await,
            outcome,
            "{step:?}"
        );
    }
}

// case FB-15
#[tokio::test(start_paused = true)]
async fn bare_code_has_no_fallback_either() {
    let script = Script::new(&[F]);
    let outcome = scope(&testing::passthrough(), guarded(&script)).await;
    assert_eq!(
        (outcome, script.starts().len()),
        (Err(Failure::Transient), 1)
    );
}
