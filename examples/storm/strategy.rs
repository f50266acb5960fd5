//! What callers do about failures: settings of the library, from nothing at all to its defaults.

use resilient::Dependency;
use resilient::breaker::{Breaker, Per};
use resilient::budget::Budget;
use resilient::bulkhead::{Adaptive, Bulkhead};
use resilient::retry::{Jitter, Retry};

pub(crate) struct Strategy {
    pub(crate) name: &'static str,
    pub(crate) dependency: fn() -> Dependency,
}

/// First one thing is added at a time, then come whole sets of numbers; the last ones are what was
/// tried for the defaults.
pub(crate) const STRATEGIES: [Strategy; 13] = [
    Strategy {
        name: "no retry",
        dependency: || only(Retry::never()),
    },
    IMMEDIATE,
    Strategy {
        name: "fixed 1 s",
        dependency: || only(retry().base("1s").factor(1.0).jitter(Jitter::None)),
    },
    Strategy {
        name: "exponential",
        dependency: || only(quick().jitter(Jitter::None)),
    },
    Strategy {
        name: "full jitter",
        dependency: || only(quick()),
    },
    Strategy {
        name: "+ budget",
        dependency: || only(quick()).budget(Budget::default()),
    },
    Strategy {
        name: "+ breaker per call",
        dependency: || {
            only(quick())
                .budget(Budget::default())
                .breaker(Breaker::default().per(Per::Call))
        },
    },
    Strategy {
        name: "+ breaker per attempt",
        dependency: || {
            only(quick())
                .budget(Budget::default())
                .breaker(Breaker::default())
        },
    },
    Strategy {
        name: "the guide's numbers",
        dependency: guide,
    },
    DEFAULTS,
    Strategy {
        name: "former defaults",
        dependency: former,
    },
    Strategy {
        name: "defaults, shorter waits",
        dependency: || Dependency::named(SERVICE).retry(quick()),
    },
    Strategy {
        name: "defaults, adaptive limit",
        dependency: || {
            let adaptive = Bulkhead::adaptive(Adaptive::aimd(4..=64).initial(64));
            Dependency::named(SERVICE).bulkhead(adaptive)
        },
    },
];

pub(crate) const IMMEDIATE: Strategy = Strategy {
    name: "immediate",
    dependency: || only(retry().base("0s").jitter(Jitter::None)),
};

pub(crate) const DEFAULTS: Strategy = Strategy {
    name: "the defaults",
    dependency: || Dependency::named(SERVICE),
};

pub(crate) const SERVICE: &str = "service";

/// As many attempts as by default, so that the strategies differ in one thing at a time.
fn retry() -> Retry {
    Retry::max(3)
}

/// With waits that hardly hold up someone in front of a screen.
fn quick() -> Retry {
    retry().base("200ms").jitter(Jitter::Full)
}

/// Nothing but retries under the default timeout and deadline.
fn only(retry: Retry) -> Dependency {
    Dependency::named(SERVICE)
        .retry(retry)
        .budget(Budget::unlimited())
        .breaker(Breaker::disabled())
        .bulkhead(Bulkhead::unlimited())
}

/// What the defaults were before this simulation: their waits were over before a blip was, retries
/// were too rare at 20 % errors, and a bad streak of a quiet process was taken for an outage.
fn former() -> Dependency {
    Dependency::named(SERVICE)
        .retry(quick())
        .budget(Budget::ratio(0.2))
        .breaker(
            Breaker::failure_rate(0.7)
                .or_consecutive(5)
                .within("1m")
                .spanning("3s"),
        )
}

/// As in `examples/charge_order.rs`.
fn guide() -> Dependency {
    Dependency::named(SERVICE)
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
