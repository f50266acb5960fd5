//! The breaker's windows of time.

use resilient::breaker::{Breaker, BreakerState::*, Rule};

use crate::breaker_play::Do::*;
use crate::breaker_play::{F, Row, S, counting, play};
use crate::script::Step::{SlowF, SlowS};

const ROWS: &[Row] = &[
    Row {
        id: "CW-01",
        differs: "",
        breaker: || counting("5s"),
        steps: &[
            F,
            At(100),
            S,
            At(200),
            S,
            At(1_200),
            S,
            At(2_200),
            S,
            At(3_200),
            F,
            At(4_200),
            S,
            Counts(2, 7),
        ],
    },
    Row {
        id: "CW-02",
        differs: "",
        breaker: || counting("5s"),
        steps: &[
            F,
            At(100),
            S,
            At(200),
            S,
            At(1_200),
            S,
            At(2_200),
            S,
            At(3_200),
            F,
            At(4_200),
            S,
            At(5_200),
            S,
            Counts(1, 5),
            At(6_200),
            S,
            Counts(1, 5),
        ],
    },
    Row {
        id: "CW-04",
        differs: "",
        breaker: || counting("5s"),
        steps: &[
            F,
            At(100),
            S,
            At(800),
            F,
            At(4_800),
            Counts(2, 3),
            At(5_800),
            Counts(0, 0),
        ],
    },
    Row {
        id: "CW-05",
        differs: "",
        breaker: || Breaker::slow_calls(1.0, "1s").window("1min"),
        steps: &[
            Call(SlowS(1_001)),
            Call(SlowS(1_000)),
            Call(SlowF(2_000)),
            F,
            S,
            Slow(2, 5),
        ],
    },
    Row {
        id: "CW-06",
        differs: "",
        breaker: || counting("10s"),
        steps: &[
            F,
            S,
            At(2_000),
            Counts(1, 2),
            F,
            S,
            At(4_000),
            Counts(2, 4),
            S,
            S,
            At(6_000),
            S,
            S,
            At(8_000),
            Counts(2, 8),
            S,
            S,
            At(10_000),
            Counts(1, 8),
            At(12_000),
            Counts(0, 6),
        ],
    },
    Row {
        id: "CW-07",
        differs: "",
        breaker: || counting("10s"),
        steps: &[
            Times(10, &[S, Wait(1_000)]),
            Counts(0, 9),
            Wait(1_000),
            Counts(0, 8),
        ],
    },
    Row {
        id: "CW-09",
        differs: "a short window slides in tenths, too: only what is old is gone",
        breaker: || counting("100ms"),
        steps: &[F, At(95), S, At(100), Counts(0, 1)],
    },
    Row {
        id: "CW-10",
        differs: "",
        breaker: || {
            Breaker::failure_rate(2.0 / 3.0)
                .min_attempts(3)
                .window("200ms")
        },
        steps: &[
            F,
            S,
            Wait(210),
            F,
            S,
            Wait(50),
            Is(Closed),
            F,
            Is(Open),
            Opened(2, 3),
        ],
    },
    Row {
        id: "CW-11",
        differs: "",
        breaker: || Breaker::failure_rate(0.5).min_attempts(3).window("200ms"),
        steps: &[
            F,
            S,
            Wait(210),
            F,
            S,
            Wait(50),
            S,
            Is(Closed),
            Counts(1, 3),
            F,
            Is(Open),
            Opened(2, 4),
        ],
    },
    Row {
        id: "CW-12",
        differs: "",
        breaker: || Breaker::failure_rate(0.5).min_attempts(5).window("10s"),
        steps: &[F, F, F, F, Is(Closed)],
    },
    Row {
        id: "CW-14",
        differs: "whether the window says enough is a number of attempts, not a time of history",
        breaker: || Breaker::failure_rate(0.001).min_attempts(1).window("30s"),
        steps: &[F, Is(Open)],
    },
    Row {
        id: "CW-15",
        differs: "the open time varies by a fifth",
        breaker: || {
            Breaker::failure_rate(0.001)
                .min_attempts(5)
                .window("30s")
                .open_for("5s")
        },
        steps: &[
            At(30_000),
            F,
            F,
            F,
            F,
            Is(Closed),
            F,
            RejWithin(4_000, 6_000),
        ],
    },
    Row {
        id: "CW-17",
        differs: "it opens as soon as the window holds its minimum, here with the 15th failure",
        breaker: || {
            Breaker::failure_rate(0.2)
                .min_attempts(30)
                .window("30s")
                .or_consecutive(3)
        },
        steps: &[
            Times(14, &[S, Wait(1_000), F, Wait(1_000)]),
            S,
            Wait(1_000),
            Is(Closed),
            F,
            Is(Open),
            Heard(&[Rule::FailureRate]),
            Reset,
            F,
            F,
            Is(Closed),
            F,
            Heard(&[Rule::FailureRate, Rule::Reset, Rule::Consecutive]),
        ],
    },
];

#[tokio::test(start_paused = true)]
async fn its_windows_slide_as_the_rows_say() {
    play(ROWS).await;
}
