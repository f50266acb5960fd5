//! What cannot work is refused at registration, whatever the policy: the rows of all sections that
//! say so.

use std::time::Duration;

use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{Dependency, RegisterError, Registry};

/// A dependency and the one setting that is refused; none if it works.
struct Refused {
    id: &'static str,
    /// Where others do otherwise: why we do not.
    why: &'static str,
    dependency: fn(Dependency) -> Dependency,
    setting: Option<&'static str>,
}

const REFUSED: Refused = Refused {
    id: "",
    why: "",
    dependency: |dependency| dependency,
    setting: None,
};

const ROWS: &[Refused] = &[
    Refused {
        id: "RT-22 attempts",
        dependency: |d| d.retry(Retry::max(0)),
        setting: Some("max"),
        ..REFUSED
    },
    Refused {
        id: "RT-22 delay",
        dependency: |d| d.retry(Retry::max(2).base("-1s")),
        setting: Some("base"),
        ..REFUSED
    },
    Refused {
        id: "RT-22 delay above its cap",
        dependency: |d| d.retry(Retry::max(2).base("2s").cap("1s")),
        setting: Some("cap"),
        ..REFUSED
    },
    Refused {
        id: "RD-16 a cap below the base",
        why: "two numbers that contradict each other are a mistake, not a constant delay",
        dependency: |d| d.retry(Retry::max(2).base("10s").cap("1s")),
        setting: Some("cap"),
    },
    Refused {
        id: "RD-17 a cap below the base",
        why: "two numbers that contradict each other are a mistake, not a constant delay",
        dependency: |d| d.retry(Retry::max(4).base("2s").cap("123ms")),
        setting: Some("cap"),
    },
    Refused {
        id: "TO-04",
        dependency: |d| d.timeout("-1s"),
        setting: Some("timeout"),
        ..REFUSED
    },
    Refused {
        id: "TO-15 zero",
        why: "no number stands for no timeout: it is called `no_timeout`",
        dependency: |d| d.timeout("0s"),
        setting: Some("timeout"),
    },
    Refused {
        id: "TO-15 negative",
        why: "no number stands for no timeout: it is called `no_timeout`",
        dependency: |d| d.timeout("-1s"),
        setting: Some("timeout"),
    },
    Refused {
        id: "BH-16",
        dependency: |d| d.bulkhead(Bulkhead::max_concurrent(0)),
        setting: Some("max_concurrent"),
        ..REFUSED
    },
    Refused {
        id: "BH-19",
        why: "a limit of zero would refuse every call: a dependency is shut off by its breaker",
        dependency: |d| d.bulkhead(Bulkhead::max_concurrent(0)),
        setting: Some("max_concurrent"),
    },
    Refused {
        id: "BG-04 no tokens",
        dependency: |d| d.budget(Budget::tokens(0)),
        setting: Some("tokens"),
        ..REFUSED
    },
    Refused {
        id: "BG-04 many tokens",
        why: "nothing breaks beyond a thousand tokens",
        dependency: |d| d.budget(Budget::tokens(1_001)),
        ..REFUSED
    },
    Refused {
        id: "BG-04 no refill",
        why: "time refills too, so a bucket without refill by successes is not dead",
        dependency: |d| d.budget(Budget::tokens(10).refill_per_success(0.0)),
        ..REFUSED
    },
    Refused {
        id: "BG-04 digits past the third",
        why: "billionths are counted, so nothing is dropped",
        dependency: |d| d.budget(Budget::tokens(10).refill_per_success(0.5466)),
        ..REFUSED
    },
    Refused {
        id: "BG-12 a window of no length",
        dependency: |d| d.budget(Budget::ratio(0.1).window("0s")),
        setting: Some("window"),
        ..REFUSED
    },
    Refused {
        id: "BG-12 a short and a long window",
        why: "the window is divided, not made of seconds, so any length works",
        dependency: |d| d.budget(Budget::ratio(0.1).window("1ms")),
        ..REFUSED
    },
    Refused {
        id: "BG-12 a long window",
        why: "the window is divided, not made of seconds, so any length works",
        dependency: |d| d.budget(Budget::ratio(0.1).window(Duration::from_secs(3_600))),
        ..REFUSED
    },
    Refused {
        id: "BG-12 a negative ratio",
        dependency: |d| d.budget(Budget::ratio(-0.1)),
        setting: Some("ratio"),
        ..REFUSED
    },
    Refused {
        id: "BG-12 a ratio too large",
        dependency: |d| d.budget(Budget::ratio(1_000.1)),
        setting: Some("ratio"),
        ..REFUSED
    },
];

#[test]
fn rows() {
    for row in ROWS {
        let dependency = (row.dependency)(Dependency::named("dep"));
        let refused = match Registry::new().register(dependency) {
            Ok(()) => Vec::new(),
            Err(RegisterError::Invalid { problems, .. }) => {
                problems.iter().map(|problem| problem.setting).collect()
            }
            Err(other) => panic!("{}: {other}", row.id),
        };
        let expected: Vec<_> = row.setting.into_iter().collect();
        assert_eq!(refused, expected, "{} {}", row.id, row.why);
    }
}
