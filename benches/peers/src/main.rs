//! The measurements with other libraries beside this one, each with the protections it has.

#![expect(
    clippy::expect_used,
    reason = "settings written here are right, or there is nothing to measure"
)]

mod breakers;
mod pauses;
mod rate_limit;
mod retries;
mod seatbelt_stack;
mod service;
mod tower_resilience;
mod tower_stack;

use std::error::Error;
use std::sync::Arc;

use layered::Service as _;
use resilient_benches::body::{pending, ready, sleeping};
use resilient_benches::crowd::Crowd;
use resilient_benches::lane::{Driver, Lane};
use resilient_benches::peers::{Contender, Peers};
use resilient_benches::workloads::Workload;

use service::{LIMIT, Service, flaky};

const PEERS: Peers = Peers {
    lanes,
    crowds,
    tables: pauses::tables,
    stacks: &[
        tower_resilience::FULL,
        seatbelt_stack::FULL,
        tower_stack::FULL,
    ],
    contenders: &CONTENDERS,
    lock: include_str!("../Cargo.lock"),
};

const CONTENDERS: [Contender; 9] = [
    Contender {
        name: "tower-resilience",
        packages: &[
            "tower-resilience-retry",
            "tower-resilience-circuitbreaker",
            "tower-resilience-bulkhead",
            "tower-resilience-timelimiter",
        ],
        has: "all six",
        note: "a pause of no length sleeps a millisecond: not in `fail, fail, ok`; on two threads its breaker's \
               lock puts a thread to sleep, where a runtime would find another task",
    },
    Contender {
        name: "seatbelt",
        packages: &["seatbelt", "layered", "tick"],
        has: "retry, breaker, timeout, deadline",
        note: "",
    },
    Contender {
        name: "tower",
        packages: &["tower"],
        has: "retry, budget, concurrency limit with load shedding, timeout, deadline",
        note: "its user writes the retry policy; rejected: no slot is free",
    },
    Contender {
        name: "failsafe",
        packages: &["failsafe"],
        has: "breaker",
        note: "default policy; one lane with consecutive failures only; rejected: that one",
    },
    Contender {
        name: "recloser",
        packages: &["recloser"],
        has: "breaker",
        note: "",
    },
    Contender {
        name: "circuitbreaker-rs",
        packages: &["circuitbreaker-rs"],
        has: "breaker",
        note: "",
    },
    Contender {
        name: "backon",
        packages: &["backon"],
        has: "retry",
        note: "a pause of no length sleeps a millisecond, unless told not to",
    },
    Contender {
        name: "tokio-retry2",
        packages: &["tokio-retry2"],
        has: "retry",
        note: "a pause of no length sleeps a millisecond: not in `fail, fail, ok`",
    },
    Contender {
        name: "governor",
        packages: &["governor"],
        has: "rate limit",
        note: "rejected: no call is left; its clock calibrates itself, so no instructions",
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    resilient_benches::run(Some(&PEERS))
}

fn lanes(workload: Workload) -> Vec<Lane> {
    let driver = workload.driver();
    match workload {
        Workload::Ready | Workload::ReadyOnThreads => working(driver, ready),
        Workload::Pending | Workload::PendingInTask => working(driver, pending),
        Workload::Flaky => {
            let mut lanes = seatbelt_stack::retrying(driver, flaky);
            lanes.extend(tower_stack::retrying(driver, flaky));
            lanes.push(retries::backon_sleepless(driver, flaky));
            lanes
        }
        Workload::Rejected => {
            let mut lanes = tower_resilience::rejecting(driver);
            lanes.extend(seatbelt_stack::rejecting(driver));
            lanes.push(tower_stack::rejecting(driver, ready));
            lanes.extend(breakers::opened(driver, ready));
            lanes.push(rate_limit::used_up(driver, ready));
            lanes
        }
    }
}

/// Everyone around calls that work.
fn working(driver: Driver, service: impl Service) -> Vec<Lane> {
    let mut lanes = tower_resilience::lanes(driver, service);
    lanes.extend(seatbelt_stack::lanes(driver, service));
    lanes.extend(tower_stack::lanes(driver, service));
    lanes.extend(breakers::closed(driver, service));
    lanes.push(retries::backon(driver, service));
    lanes.push(retries::tokio_retry2(driver, service));
    lanes.push(rate_limit::with_room(driver, service));
    lanes
}

fn crowds() -> Vec<Crowd> {
    let tower_resilience = tower_resilience::steady(sleeping);
    let seatbelt = Arc::new(seatbelt_stack::steady(sleeping));
    let tower = tower_stack::full(sleeping, LIMIT);
    vec![
        Crowd::new(tower_resilience::FULL, move |number| {
            tower_resilience::oneshot(tower_resilience.clone(), number)
        }),
        Crowd::new(seatbelt_stack::FULL, move |number| {
            let seatbelt = Arc::clone(&seatbelt);
            async move { seatbelt.execute(number).await }
        }),
        Crowd::new(tower_stack::FULL, move |number| {
            tower_stack::oneshot(tower.clone(), number)
        }),
    ]
}
