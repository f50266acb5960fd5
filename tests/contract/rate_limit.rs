//! K2: what each attempt of a call asks of a rate limiter.

mod order;
mod outside;

use std::pin::Pin;
use std::time::Duration;

use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
use resilient::{Registry, Rejection, resilient, scope};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::script::Step::{F, S};
use crate::script::{Answer, Failure, Script, Step, millis};

const TWO: u32 = 2;
const PATIENCE: Duration = Duration::from_millis(300);

#[resilient(rate_limit = "api")]
async fn single(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    rate_limit(limiter = "api"),
    retry(max = 3, base = "100ms", factor = 1, jitter = "none"),
    idempotent
)]
async fn repeated(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    rate_limit(limiter = "api"),
    retry(max = 4, base = "0ms", jitter = "none"),
    idempotent
)]
async fn at_once(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    rate_limit(limiter = "api", max_wait = { PATIENCE }),
    retry(max = 3, base = "50ms", factor = 1, jitter = "none"),
    idempotent
)]
async fn patient(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", max_wait = "0s"))]
async fn impatient(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", max_wait = "10s"), deadline = "150ms")]
async fn in_time(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", key = user))]
async fn keyed(user: &str, script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", key = user, max_wait = "300ms"))]
async fn keyed_patient(user: &str, script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", cost = 2))]
async fn costs_two(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(rate_limit(limiter = "api", cost = { TWO }))]
async fn costs_a_constant(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    rate_limit(limiter = "api", cost = if *cost > 9 { 9 } else { *cost }),
    retry(max = 3, base = "0ms", jitter = "none"),
    idempotent
)]
async fn computed(cost: &u32, script: &Script) -> Answer {
    script.attempt().await
}

struct Client {
    user: String,
}

#[resilient(rate_limit(limiter = "api", key = self.user, cost = 2))]
impl Client {
    #[resilient(rate_limit(cost = 1, max_wait = "300ms"))]
    async fn in_a_block(&self, script: &Script) -> Answer {
        script.attempt().await
    }
}

#[derive(Clone, Copy, Debug)]
enum Site {
    Single,
    Repeated,
    AtOnce,
    Patient,
    Impatient,
    InTime,
    Keyed,
    KeyedPatient,
    CostsTwo,
    CostsAConstant,
    Computed,
    InABlock,
}

type Called<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// When it begins, for whom, and what it costs where that is asked.
type Call = (u64, &'static str, u32);

impl Site {
    fn call<'a>(self, (_, user, cost): &'a Call, script: &'a Script) -> Called<'a> {
        match self {
            Site::Single => Box::pin(single(script)),
            Site::Repeated => Box::pin(repeated(script)),
            Site::AtOnce => Box::pin(at_once(script)),
            Site::Patient => Box::pin(patient(script)),
            Site::Impatient => Box::pin(impatient(script)),
            Site::InTime => Box::pin(in_time(script)),
            Site::Keyed => Box::pin(keyed(user, script)),
            Site::KeyedPatient => Box::pin(keyed_patient(user, script)),
            Site::CostsTwo => Box::pin(costs_two(script)),
            Site::CostsAConstant => Box::pin(costs_a_constant(script)),
            Site::Computed => Box::pin(computed(cost, script)),
            Site::InABlock => Box::pin(async move {
                let user = (*user).to_owned();
                Client { user }.in_a_block(script).await
            }),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Done,
    Failed,
    /// Refused; it would fit after so many milliseconds.
    Limited(u64),
    NeverFits,
    Deadline,
    Left,
}

impl End {
    fn of(answer: &Answer) -> End {
        match answer {
            Ok(_) => End::Done,
            Err(Failure::Transient) => End::Failed,
            Err(Failure::Rejected(Rejection::DeadlineExceeded { .. })) => End::Deadline,
            Err(Failure::Rejected(
                rejection @ Rejection::RateLimited {
                    limit: Some(limit), ..
                },
            )) => {
                assert_eq!(&**limit, "steady");
                let time = rejection.retry_in().map(millis);
                time.map_or(End::NeverFits, End::Limited)
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Times are milliseconds since the start.
struct Row {
    id: &'static str,
    site: Site,
    limit: fn(RateLimit) -> RateLimit,
    steps: &'static [Step],
    calls: &'static [Call],
    /// Which calls are dropped, and when.
    leaves: &'static [(usize, u64)],
    starts: &'static [u64],
    ends: &'static [(End, u64)],
    /// How many requests the limiter counted as let through.
    allowed: u64,
}

/// One at once, and one more every 100 ms.
fn one_by_one(limit: RateLimit) -> RateLimit {
    limit.limit(Limit::gcra("steady", 10, "1s").burst(1))
}

/// Three at once, and one more every second.
fn three(limit: RateLimit) -> RateLimit {
    limit.limit(Limit::gcra("steady", 3, "3s"))
}

const ONE: &[Call] = &[(0, "ann", 1)];
const BOTH: &[Call] = &[(0, "ann", 1), (0, "ann", 1)];

const ROW: Row = Row {
    id: "",
    site: Site::Single,
    limit: one_by_one,
    steps: &[],
    calls: BOTH,
    leaves: &[],
    starts: &[0],
    ends: &[],
    allowed: 1,
};

const ROWS: &[Row] = &[
    Row {
        id: "R6 what does not fit is rejected at once",
        ends: &[(End::Done, 0), (End::Limited(100), 0)],
        ..ROW
    },
    Row {
        id: "R6 what was rejected on the spot is not retried",
        site: Site::Repeated,
        ends: &[(End::Done, 0), (End::Limited(100), 0)],
        ..ROW
    },
    Row {
        id: "K2 each attempt counts, and so does a retry without a pause",
        site: Site::AtOnce,
        limit: three,
        steps: &[F, F, F, S],
        calls: ONE,
        starts: &[0, 0, 0],
        ends: &[(End::Failed, 0)],
        allowed: 3,
        ..ROW
    },
    Row {
        id: "R1 a retry that the limiter stops ends in the last outcome",
        site: Site::Repeated,
        limit: |limit| limit.limit(Limit::gcra("steady", 2, "10s")),
        steps: &[F, F, S],
        calls: ONE,
        starts: &[0, 100],
        ends: &[(End::Failed, 200)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "K2 it waits for its turn, but not for one that comes too late",
        site: Site::Patient,
        calls: &[
            (0, "ann", 1),
            (0, "ann", 1),
            (1, "ann", 1),
            (2, "ann", 1),
            (3, "ann", 1),
        ],
        starts: &[0, 100, 200, 300],
        ends: &[
            (End::Done, 0),
            (End::Done, 100),
            (End::Done, 200),
            (End::Done, 300),
            (End::Limited(397), 3),
        ],
        allowed: 4,
        ..ROW
    },
    Row {
        id: "K2 a retry waits for its turn after its backoff",
        site: Site::Patient,
        steps: &[F, F, S],
        calls: ONE,
        starts: &[0, 100, 200],
        ends: &[(End::Done, 200)],
        allowed: 3,
        ..ROW
    },
    Row {
        id: "K2 without a max_wait it waits as long as registered",
        limit: |limit| one_by_one(limit).max_wait("100ms"),
        starts: &[0, 100],
        ends: &[(End::Done, 0), (End::Done, 100)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "K2 a max_wait of zero goes before that of the limiter",
        site: Site::Impatient,
        limit: |limit| one_by_one(limit).max_wait("100ms"),
        ends: &[(End::Done, 0), (End::Limited(100), 0)],
        ..ROW
    },
    Row {
        id: "K2 R4 a turn that comes after the deadline is not waited for",
        site: Site::InTime,
        calls: &[(0, "ann", 1), (0, "ann", 1), (0, "ann", 1)],
        starts: &[0, 100],
        ends: &[(End::Done, 0), (End::Done, 100), (End::Limited(200), 0)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "K2 T1 the wait counts into the deadline",
        site: Site::InTime,
        steps: &[S, Step::SlowS(100)],
        starts: &[0, 100],
        ends: &[(End::Done, 0), (End::Deadline, 150)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "X1 who leaves while waiting takes nothing, and the next one goes ahead",
        site: Site::Patient,
        calls: &[(0, "ann", 1), (0, "ann", 1), (10, "ann", 1)],
        leaves: &[(1, 50)],
        starts: &[0, 100],
        ends: &[(End::Done, 0), (End::Left, 50), (End::Done, 100)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "K2 each key is counted by itself",
        site: Site::Keyed,
        calls: &[(0, "ann", 1), (0, "bob", 1), (0, "ann", 1)],
        starts: &[0, 0],
        ends: &[(End::Done, 0), (End::Done, 0), (End::Limited(100), 0)],
        allowed: 2,
        ..ROW
    },
    Row {
        id: "K2 nobody waits behind another key",
        site: Site::KeyedPatient,
        calls: &[(0, "ann", 1), (0, "ann", 1), (10, "bob", 1)],
        starts: &[0, 10, 100],
        ends: &[(End::Done, 0), (End::Done, 100), (End::Done, 10)],
        allowed: 3,
        ..ROW
    },
    Row {
        id: "K2 without a key all calls share one count",
        calls: &[(0, "ann", 1), (0, "bob", 1)],
        ends: &[(End::Done, 0), (End::Limited(100), 0)],
        ..ROW
    },
    Row {
        id: "K2 a cost is taken whole or not at all",
        site: Site::CostsTwo,
        limit: three,
        ends: &[(End::Done, 0), (End::Limited(1000), 0)],
        ..ROW
    },
    Row {
        id: "K2 a cost may be a constant",
        site: Site::CostsAConstant,
        limit: three,
        ends: &[(End::Done, 0), (End::Limited(1000), 0)],
        ..ROW
    },
    Row {
        id: "K2 a cost may be worked out, once for all attempts; one of 0 takes nothing",
        site: Site::Computed,
        limit: |limit| limit.limit(Limit::gcra("steady", 6, "6s")),
        steps: &[F, S],
        calls: &[(0, "ann", 3), (0, "ann", 1), (0, "ann", 0)],
        starts: &[0, 0, 0],
        ends: &[(End::Done, 0), (End::Limited(1000), 0), (End::Done, 0)],
        allowed: 3,
        ..ROW
    },
    Row {
        id: "K2 what costs more than there ever is never fits",
        site: Site::Computed,
        limit: three,
        calls: &[(0, "ann", 4)],
        starts: &[],
        ends: &[(End::NeverFits, 0)],
        allowed: 0,
        ..ROW
    },
    Row {
        id: "K2 a method goes before its block, option by option",
        site: Site::InABlock,
        calls: &[(0, "ann", 1), (0, "bob", 1), (0, "ann", 1)],
        starts: &[0, 0, 100],
        ends: &[(End::Done, 0), (End::Done, 0), (End::Done, 100)],
        allowed: 3,
        ..ROW
    },
];

/// A registry with a limiter called `api`.
fn limited(limit: fn(RateLimit) -> RateLimit) -> (Registry, RateLimiter) {
    let limiter = RateLimiter::in_memory(limit(RateLimit::named("api"))).unwrap();
    let registry = Registry::seeded(1);
    registry.register_limiter(limiter.clone()).unwrap();
    (registry, limiter)
}

async fn play(row: &'static Row) {
    let (registry, limiter) = limited(row.limit);
    let script = Script::new(row.steps);
    let begun = Instant::now();
    let at = move |time| begun + Duration::from_millis(time);
    let calls = row.calls.iter().enumerate().map(|(number, call)| {
        let (registry, script) = (registry.clone(), script.clone());
        let leaves = row.leaves.iter().find(|(who, _)| *who == number);
        // A wait for ever would let the paused clock jump to here.
        let until = at(leaves.map_or(1_000_000, |(_, time)| *time));
        tokio::spawn(async move {
            sleep_until(at(call.0)).await;
            let called = scope(&registry, row.site.call(call, &script));
            let end = timeout_at(until, called).await;
            let end = end.map_or(End::Left, |answer| End::of(&answer));
            (end, millis(begun.elapsed()))
        })
    });
    let calls = calls.collect::<Vec<_>>();
    let mut ends = Vec::new();
    for call in calls {
        ends.push(call.await.unwrap());
    }
    assert_eq!(ends, row.ends, "{}", row.id);
    assert_eq!(script.starts(), row.starts, "{}", row.id);
    let snapshot = limiter.snapshot();
    assert_eq!(snapshot.counters.allowed, row.allowed, "{}", row.id);
    assert_eq!(snapshot.waiting, 0, "{}", row.id);
}

#[tokio::test(start_paused = true)]
async fn k2_attempts_take_turns_with_the_limiter() {
    for row in ROWS {
        play(row).await;
    }
}
