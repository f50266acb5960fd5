//! The breaker while closed: shares of the last so many attempts, and failures in a row.

use std::sync::atomic::{AtomicU32, Ordering};

use resilient::breaker::{Breaker, BreakerState::*, Rule};
use resilient::retry::Retry;
use resilient::{Dependency, Registry, resilient, scope};

use crate::breaker_play::Do::*;
use crate::breaker_play::{F, I, P, Row, S, brittle, counting, last, play};
use crate::script::Step::SlowF;
use crate::script::{Answer, Failure};

const ROWS: &[Row] = &[
    Row {
        id: "CB-01",
        differs: "",
        breaker: || last(4, 0.5),
        steps: &[S, F, S, S, Is(Closed), F, Is(Open), Rej, Ran(5)],
    },
    Row {
        id: "CB-02",
        differs: "",
        breaker: || last(4, 0.5),
        steps: &[S, F, F, Is(Closed), S, Is(Open), Rej, Ran(4)],
    },
    Row {
        id: "CB-04",
        differs: "",
        breaker: || last(4, 0.75).open_for("1ms").close_after(1),
        steps: &[F, F, F, F, Is(Open), Wait(2), S, S, S, Is(Closed), Ran(7)],
    },
    Row {
        id: "CB-05",
        differs: "",
        breaker: || last(4, 0.75).open_for("1s").close_after(1),
        steps: &[F, F, F, F, Rej, Wait(2_000), S, F, F, F, F, Rej, Ran(9)],
    },
    Row {
        id: "CB-06",
        differs: "",
        breaker: || last(4, 0.75).open_for("1s").close_after(1),
        steps: &[S, F, F, F, Rej, Wait(2_000), S, S, F, F, F, Rej, Ran(9)],
    },
    Row {
        id: "CB-07",
        differs: "",
        breaker: || last(4, 0.75).open_for("1s").close_after(1),
        steps: &[F, F, F, S, Rej, Wait(2_000), S, F, F, F, S, Rej, Ran(9)],
    },
    Row {
        id: "CB-14",
        differs: "",
        breaker: || last(4, 0.5).open_for("1s").close_after(2),
        steps: &[
            S,
            F,
            F,
            S,
            Is(Open),
            At(1_500),
            S,
            Is(HalfOpen),
            F,
            Is(Open),
            Rej,
            Wait(1_500),
            S,
            S,
            Is(Closed),
        ],
    },
    Row {
        id: "CB-15",
        differs: "it has no timer of its own: the next call finds its open time over",
        breaker: || last(4, 0.5).open_for("1s").close_after(2),
        steps: &[
            S,
            F,
            F,
            S,
            Wait(1_500),
            Is(Open),
            S,
            Is(HalfOpen),
            S,
            Is(Closed),
        ],
    },
    Row {
        id: "CB-16",
        differs: "what happened is told in events, which carry their time; nothing is summed up",
        breaker: || last(2, 1.0).open_for("1s").close_after(2),
        steps: &[
            F,
            F,
            Rej,
            Wait(1_500),
            S,
            S,
            Heard(&[Rule::FailureRate, Rule::OpenElapsed, Rule::ProbesSucceeded]),
            Ran(4),
        ],
    },
    Row {
        id: "CB-17",
        differs: "an answer is a success, but a mistake of our own says nothing and is not counted",
        breaker: || last(2, 1.0),
        steps: &[
            P,
            Counts(0, 1),
            I,
            Counts(0, 1),
            F,
            Is(Closed),
            F,
            Is(Open),
            Rej,
        ],
    },
    Row {
        id: "CB-19",
        differs: "",
        breaker: || Breaker::failure_rate(0.5).min_attempts(5).window("20s"),
        steps: &[F, F, F, S, Is(Closed), S, Is(Open), Opened(3, 5)],
    },
    Row {
        id: "CB-20",
        differs: "",
        breaker: || Breaker::failure_rate(0.5).min_attempts(5).window("20s"),
        steps: &[S, S, S, F, F, Is(Closed), F, Is(Open), Opened(3, 6)],
    },
    Row {
        id: "CB-21",
        differs: "one failed probe reopens: a few probes are no sample to take a share of",
        breaker: || brittle().probes(4).close_after(4),
        steps: &[
            F,
            Wait(1_200),
            S,
            S,
            S,
            I,
            Is(HalfOpen),
            F,
            Is(Open),
            Opened(1, 4),
        ],
    },
    Row {
        id: "CB-22",
        differs: "",
        breaker: || last(4, 1.0),
        steps: &[
            F,
            Counts(1, 1),
            S,
            Counts(1, 2),
            S,
            Counts(1, 3),
            S,
            Counts(1, 4),
            S,
            Counts(0, 4),
        ],
    },
    Row {
        id: "CB-24",
        differs: "",
        breaker: || last(3, 2.0 / 3.0),
        steps: &[F, S, Is(Closed), F, Is(Open)],
    },
    Row {
        id: "CB-25",
        differs: "",
        breaker: || last(4, 0.75),
        steps: &[Times(50, &[F, S]), Is(Closed), Counts(2, 4)],
    },
    Row {
        id: "CB-26",
        differs: "the open time varies by a fifth",
        breaker: || Breaker::consecutive(3).open_for("5s"),
        steps: &[F, F, Is(Closed), F, RejWithin(4_000, 6_000)],
    },
    Row {
        id: "CB-27",
        differs: "",
        breaker: || Breaker::consecutive(3),
        steps: &[
            F,
            S,
            F,
            F,
            Is(Closed),
            F,
            Is(Open),
            Reset,
            F,
            Reset,
            F,
            F,
            Is(Closed),
            F,
            Is(Open),
        ],
    },
    Row {
        id: "CB-30",
        differs: "the open times are a first one, a factor and a longest one, a fifth more or less, \
                  and start over only after a whole window closed",
        breaker: || {
            Breaker::consecutive(1)
                .within("10s")
                .open_for("1s")
                .growth(2.0, "4s")
                .close_after(1)
        },
        steps: &[
            F,
            RejWithin(800, 1_200),
            Wait(1_200),
            F,
            RejWithin(1_600, 2_400),
            Wait(2_400),
            F,
            RejWithin(3_200, 4_800),
            Wait(4_800),
            F,
            RejWithin(3_200, 4_800),
            Wait(4_800),
            S,
            Wait(9_999),
            F,
            RejWithin(3_200, 4_800),
            Wait(4_800),
            S,
            Wait(10_000),
            F,
            RejWithin(800, 1_200),
        ],
    },
    Row {
        id: "CB-31",
        differs: "",
        breaker: || Breaker::failure_rate(0.1).min_attempts(10),
        steps: &[Times(10, &[S]), Is(Closed)],
    },
    Row {
        id: "CB-31",
        differs: "",
        breaker: || Breaker::failure_rate(0.1).min_attempts(10),
        steps: &[Times(9, &[S]), F, Is(Open), Opened(1, 10)],
    },
    Row {
        id: "CB-31",
        differs: "a success can be the outcome it opens on, so there is no eleventh",
        breaker: || Breaker::failure_rate(0.1).min_attempts(10),
        steps: &[F, F, Times(7, &[S]), Is(Closed), S, Is(Open), Opened(2, 10)],
    },
    Row {
        id: "CB-31",
        differs: "",
        breaker: || Breaker::failure_rate(0.1).min_attempts(10),
        steps: &[Times(8, &[S]), F, Is(Closed), Counts(1, 9)],
    },
    Row {
        id: "CB-32",
        differs: "",
        breaker: || counting("10s"),
        steps: &[P, Counts(0, 1)],
    },
    Row {
        id: "CB-34",
        differs: "a result counts only towards the state its call was admitted in",
        breaker: || counting("10s").open_for("1s").probes(2),
        steps: &[
            F,
            Counts(1, 1),
            Start("isolated", SlowF(10)),
            Start("half-open", SlowF(10)),
            ForceOpen("isolated"),
            Finish("isolated"),
            Counts(0, 0),
            Lift,
            Finish("half-open"),
            Is(HalfOpen),
            Counts(0, 0),
        ],
    },
    Row {
        id: "CB-34",
        differs: "a result counts only towards the state its call was admitted in",
        breaker: || last(2, 1.0),
        steps: &[
            Start("late", SlowF(10)),
            F,
            F,
            Is(Open),
            Finish("late"),
            Counts(0, 0),
        ],
    },
];

#[tokio::test(start_paused = true)]
async fn closed_it_opens_as_the_rows_say() {
    play(ROWS).await;
}

struct Shop(AtomicU32);

#[resilient(breaker = "class")]
impl Shop {
    #[resilient]
    async fn plain(&self) -> Answer {
        self.fail()
    }

    #[resilient(breaker = "method")]
    async fn with_its_own(&self) -> Answer {
        self.fail()
    }
}

impl Shop {
    fn fail(&self) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Failure::Transient)
    }
}

// case CB-09
#[tokio::test(start_paused = true)]
async fn a_methods_own_breaker_comes_before_that_of_its_impl_block() {
    let registry = Registry::seeded(1);
    for (name, breaker) in [("class", Breaker::default()), ("method", last(2, 1.0))] {
        let dependency = Dependency::named(name).retry(Retry::never());
        registry.register(dependency.breaker(breaker)).unwrap();
    }
    let shop = Shop(AtomicU32::new(0));
    for _ in 0..3 {
        let _ = scope(&registry, shop.with_its_own()).await;
    }
    assert_eq!(shop.0.load(Ordering::Relaxed), 2, "the third is refused");
    let _ = scope(&registry, shop.plain()).await;
    assert_eq!(shop.0.load(Ordering::Relaxed), 3);
    let failures = |name| registry.breaker(name).unwrap().snapshot().failures;
    assert_eq!((failures("class"), failures("method")), (1, 0));
}
