//! Section 2: how long a call waits before each retry. The arithmetic is tested beside it, draw by
//! draw; here it is seen from outside, on many calls.

use std::time::Duration;

use resilient::budget::Budget;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Registry};

use crate::script::Step::{self, Busy, F, Throttled};
use crate::script::row::{bare, exponential, steady};
use crate::script::{Script, registered};

/// The waits of calls that fail until the end.
struct Waits {
    id: &'static str,
    /// Where others do otherwise: why we do not.
    why: &'static str,
    retry: fn() -> Retry,
    /// What every attempt fails with.
    fails: Step,
    /// The least and the most of each wait, in milliseconds; the last holds for all that follow,
    /// and without any there is no retry.
    between: &'static [(u64, u64)],
}

const WAITS: Waits = Waits {
    id: "",
    why: "",
    retry: Retry::never,
    fails: F,
    between: &[],
};

const SHORTENS: &str = "jitter never lengthens a wait beyond its schedule or its cap";

const ONE_SCHEDULE: &str = "a failure without a hint has one schedule, whatever kind it is";

const HINT: &str =
    "a hint is kept as it is, and lengthened by up to a step of the schedule, base or tenth (R3)";

/// `n` attempts from `base` ms on, spread by `jitter`.
fn spread(n: u32, base: u64, jitter: Jitter) -> Retry {
    exponential(n, base).jitter(jitter)
}

const ROWS: &[Waits] = &[
    Waits {
        id: "RD-01",
        why: SHORTENS,
        retry: || spread(4, 400, Jitter::Full).factor(1.0),
        between: &[(0, 400)],
        ..WAITS
    },
    Waits {
        id: "RD-02",
        why: "without a delay there is nothing to spread: a zero wait does not sleep",
        retry: || spread(101, 0, Jitter::Full),
        between: &[(0, 0)],
        ..WAITS
    },
    Waits {
        id: "RD-04",
        retry: || exponential(12, 1),
        between: &[
            (1, 1),
            (2, 2),
            (4, 4),
            (8, 8),
            (16, 16),
            (32, 32),
            (64, 64),
            (128, 128),
            (256, 256),
            (512, 512),
            (1_024, 1_024),
        ],
        ..WAITS
    },
    Waits {
        id: "RD-06",
        why: SHORTENS,
        retry: || spread(4, 100, Jitter::Equal).factor(1.0),
        between: &[(50, 100)],
        ..WAITS
    },
    Waits {
        id: "RD-07",
        retry: || exponential(14, 100).cap("100s"),
        between: &[
            (100, 100),
            (200, 200),
            (400, 400),
            (800, 800),
            (1_600, 1_600),
            (3_200, 3_200),
            (6_400, 6_400),
            (12_800, 12_800),
            (25_600, 25_600),
            (51_200, 51_200),
            (100_000, 100_000),
        ],
        ..WAITS
    },
    Waits {
        id: "RD-09",
        retry: || exponential(3, 500),
        between: &[(500, 500), (1_000, 1_000)],
        ..WAITS
    },
    Waits {
        id: "RD-10",
        retry: || steady(4, 1_000),
        between: &[(1_000, 1_000)],
        ..WAITS
    },
    Waits {
        id: "RD-12",
        retry: || exponential(4, 1_000),
        between: &[(1_000, 1_000), (2_000, 2_000), (4_000, 4_000)],
        ..WAITS
    },
    Waits {
        id: "RD-16 a cap alone",
        retry: || Retry::max(4).cap("100ms").jitter(Jitter::None),
        between: &[(100, 100)],
        ..WAITS
    },
    Waits {
        id: "RD-17 a cap alone",
        retry: || Retry::max(4).cap("123ms").jitter(Jitter::None),
        between: &[(123, 123)],
        ..WAITS
    },
    Waits {
        id: "RD-19",
        retry: || exponential(40, 86_400_000).cap("2days"),
        between: &[(86_400_000, 86_400_000), (172_800_000, 172_800_000)],
        ..WAITS
    },
    Waits {
        id: "RD-20",
        why: "the formula of the AWS Architecture Blog: each wait follows the one before",
        retry: || spread(4, 100, Jitter::Decorrelated),
        between: &[(100, 300), (100, 900), (100, 2_700)],
        ..WAITS
    },
    Waits {
        id: "RD-21",
        retry: || exponential(7, 1).cap("10ms"),
        between: &[(1, 1), (2, 2), (4, 4), (8, 8), (10, 10)],
        ..WAITS
    },
    Waits {
        id: "RD-22",
        why: "proportional jitter lengthens by up to a tenth, and shortens nothing",
        retry: || spread(3, 1_000, Jitter::Proportional),
        between: &[(1_000, 1_100), (2_000, 2_200)],
        ..WAITS
    },
    Waits {
        id: "RD-25",
        why: "the first wait is drawn too: clients that failed together would return together",
        retry: || spread(9, 100, Jitter::Decorrelated).cap("250ms"),
        between: &[(100, 250)],
        ..WAITS
    },
    Waits {
        id: "RD-26",
        retry: || spread(6, 100, Jitter::Equal).cap("500ms"),
        between: &[(50, 100), (100, 200), (200, 400), (250, 500)],
        ..WAITS
    },
    Waits {
        id: "RD-27",
        why: "a tenth instead of a fifth, and the cap holds for the jitter too",
        retry: || spread(6, 100, Jitter::Proportional).cap("1s"),
        between: &[(100, 110), (200, 220), (400, 440), (800, 880), (909, 1_000)],
        ..WAITS
    },
    Waits {
        id: "RD-29",
        retry: || spread(12, 50, Jitter::Full).cap("20s"),
        between: &[
            (0, 50),
            (0, 100),
            (0, 200),
            (0, 400),
            (0, 800),
            (0, 1_600),
            (0, 3_200),
            (0, 6_400),
            (0, 12_800),
            (0, 20_000),
        ],
        ..WAITS
    },
    Waits {
        id: "RD-30",
        why: ONE_SCHEDULE,
        retry: || spread(5, 50, Jitter::Full),
        fails: Busy,
        between: &[(0, 50), (0, 100), (0, 200), (0, 400)],
    },
    Waits {
        id: "RD-31",
        retry: || spread(4, 25, Jitter::Full),
        between: &[(0, 25), (0, 50), (0, 100)],
        ..WAITS
    },
    Waits {
        id: "RD-32 a hint above the backoff",
        why: HINT,
        retry: || exponential(2, 50),
        fails: Throttled(3_000),
        between: &[(3_000, 3_050)],
    },
    Waits {
        id: "RD-32 a hint below the backoff",
        why: HINT,
        retry: || exponential(2, 50),
        fails: Throttled(10),
        between: &[(10, 60)],
    },
    Waits {
        id: "RD-32 a long hint",
        why: HINT,
        retry: || exponential(2, 50),
        fails: Throttled(10_000),
        between: &[(10_000, 10_050)],
    },
    Waits {
        id: "RD-34",
        retry: || spread(6, 1_000, Jitter::Full).cap("3s"),
        between: &[(0, 1_000), (0, 2_000), (0, 3_000)],
        ..WAITS
    },
    Waits {
        id: "RD-35",
        retry: || exponential(1_100, 10_000).cap("20s"),
        between: &[(10_000, 10_000), (20_000, 20_000)],
        ..WAITS
    },
    Waits {
        id: "RD-36",
        why: "full jitter doubles exactly: 25, 50, 100 where Envoy has 25, 75, 175",
        retry: || spread(6, 25, Jitter::Full).cap("250ms"),
        between: &[(0, 25), (0, 50), (0, 100), (0, 200), (0, 250)],
        ..WAITS
    },
    Waits {
        id: "RD-37 a hint",
        why: HINT,
        retry: || spread(9, 1_000, Jitter::Full).factor(1.0),
        fails: Throttled(4_000),
        between: &[(4_000, 5_000)],
    },
    Waits {
        id: "RD-37 a hint above the cap",
        why: "a dependency that asks for more time than there is must not be asked earlier",
        retry: || exponential(9, 25).retry_after_cap("300s"),
        fails: Throttled(300_001),
        ..WAITS
    },
];

/// The waits of one call.
async fn waits(policy: &resilient::Policy, fails: Step, attempts: usize) -> Vec<u64> {
    let script = Script::new(&vec![fails; attempts]);
    let _ = policy.call(|| script.attempt()).await;
    let starts = script.starts();
    starts.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[tokio::test(start_paused = true)]
async fn rows() {
    for row in ROWS {
        let retry = (row.retry)();
        let max = retry.settings().expect(row.id).max as usize;
        let policy = registered(bare(Dependency::named("dep")).retry(retry), "dep").1;
        let by_chance = row.between.iter().any(|(least, most)| least < most);
        let calls = if by_chance { 100 } else { 1 };
        let mut seen = vec![Vec::new(); max - 1];
        for _ in 0..calls {
            let waits = waits(&policy, row.fails, max).await;
            let expected = if row.between.is_empty() { 0 } else { max - 1 };
            assert_eq!(waits.len(), expected, "{} {}", row.id, row.why);
            for (seen, wait) in std::iter::zip(&mut seen, waits) {
                seen.push(wait);
            }
        }
        let Some(last) = row.between.last() else {
            continue;
        };
        let bounds = row.between.iter().chain(std::iter::repeat(last));
        for (at, (seen, (least, most))) in std::iter::zip(seen, bounds).enumerate() {
            let (shortest, longest) = (*seen.iter().min().unwrap(), *seen.iter().max().unwrap());
            let id = format!("{}, wait {at}: {shortest}..={longest}", row.id);
            // A timer rounds up to the next millisecond.
            let tick = u64::from(by_chance);
            assert!(*least <= shortest && longest <= most + tick, "{id}");
            assert!(longest - shortest >= (most - least) / 2, "{id} is narrow");
        }
    }
}

const KINDS: [Jitter; 5] = [
    Jitter::None,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
    Jitter::Proportional,
];

// case RD-15
// case RD-16
#[tokio::test(start_paused = true)]
async fn every_kind_of_jitter_keeps_zero_and_the_cap() {
    for jitter in KINDS {
        for (base, cap) in [(0, 1_000), (1_000, 1_000)] {
            let retry = spread(20, base, jitter).cap(Duration::from_millis(cap));
            let policy = registered(bare(Dependency::named("dep")).retry(retry), "dep").1;
            let waits = waits(&policy, F, 20).await;
            assert_eq!(waits.len(), 19);
            let most = if base == 0 { 0 } else { cap };
            assert!(
                waits.iter().all(|wait| *wait <= most),
                "{jitter}: {waits:?}"
            );
        }
    }
}

// case RD-20
#[tokio::test(start_paused = true)]
async fn the_same_seed_draws_the_same_waits() {
    for jitter in KINDS {
        let mut drawn = Vec::new();
        for seed in [7, 7, 8] {
            let registry = Registry::seeded(seed);
            let dependency = Dependency::named("dep")
                .retry(spread(9, 1_000, jitter))
                .budget(Budget::unlimited())
                .no_deadline();
            registry.register(dependency).unwrap();
            let policy = registry.policy("dep").unwrap().idempotent();
            drawn.push(waits(&policy, Busy, 9).await);
        }
        assert_eq!(drawn[0], drawn[1], "{jitter}");
        assert_eq!(drawn[1] == drawn[2], jitter == Jitter::None, "{jitter}");
    }
}
