//! seatbelt: it has no budget and no bulkhead.

use std::time::Duration;

use layered::{Execute, Service as Layered, Stack};
use resilient_benches::failure::{Failure, Outcome};
use resilient_benches::lane::{Driver, Lane, refused, runtime, worked};
use seatbelt::breaker::Breaker;
use seatbelt::retry::Retry;
use seatbelt::timeout::Timeout;
use seatbelt::{RecoveryInfo, ResilienceContext};
use tick::Clock;

use crate::service::{ATTEMPTS, DEADLINE, HOUR, Service, TIMEOUT, down, open};

/// All it has, stacked.
pub(crate) const FULL: &str = "seatbelt, full stack but budget, bulkhead";
const BREAKER: &str = "seatbelt, breaker";
const RETRY: &str = "seatbelt, retry";

/// The stack and its parts around calls that work.
pub(crate) fn lanes(driver: Driver, service: impl Service) -> Vec<Lane> {
    let clock = clock();
    vec![
        lane(driver, FULL, worked, full(&clock, service, 100)),
        lane(driver, BREAKER, worked, breaker(&clock, service, 100)),
        lane(driver, RETRY, worked, retry(&clock, service)),
        lane(
            driver,
            "seatbelt, timeout",
            worked,
            timeout(&clock, service),
        ),
    ]
}

/// The stack and its retries around calls that fail twice.
pub(crate) fn retrying(driver: Driver, service: impl Service) -> Vec<Lane> {
    let clock = clock();
    vec![
        lane(driver, FULL, worked, full(&clock, service, 100)),
        lane(driver, RETRY, worked, retry(&clock, service)),
    ]
}

/// The stack and the breaker, open for an hour.
pub(crate) fn rejecting(driver: Driver) -> Vec<Lane> {
    let clock = clock();
    let full = full(&clock, down, 1);
    let breaker = breaker(&clock, down, 1);
    runtime().block_on(async {
        for number in 0..10 {
            let _ = full.execute(number).await;
            let _ = breaker.execute(number).await;
        }
    });
    vec![
        lane(driver, FULL, refused, full),
        lane(driver, BREAKER, refused, breaker),
    ]
}

/// The stack, in the runtime that this is called in.
pub(crate) fn steady(service: impl Service) -> impl Layered<u64, Out = Outcome> {
    full(&Clock::new_tokio(), service, 100)
}

fn clock() -> Clock {
    let _context = runtime().enter();
    Clock::new_tokio()
}

fn full<S: Service>(
    clock: &Clock,
    service: S,
    min_throughput: u32,
) -> impl Layered<u64, Out = Outcome> + use<S> {
    let context = ResilienceContext::new(clock);
    (
        Timeout::layer("deadline", &context)
            .timeout(DEADLINE)
            .timeout_error(|_| Failure::TimedOut),
        Retry::layer("retry", &context)
            .clone_input()
            .max_retry_attempts(ATTEMPTS - 1)
            .base_delay(Duration::ZERO)
            .recovery_with(|outcome, _| recovery(outcome)),
        Breaker::layer("breaker", &context)
            .failure_threshold(0.9)
            .min_throughput(min_throughput)
            .break_duration(HOUR)
            .recovery_with(|outcome, _| recovery(outcome))
            .rejected_input_error(|_, _| open()),
        Timeout::layer("timeout", &context)
            .timeout(TIMEOUT)
            .timeout_error(|_| Failure::TimedOut),
        Execute::new(move |number| service.attempt(number)),
    )
        .into_service()
}

fn breaker<S: Service>(
    clock: &Clock,
    service: S,
    min_throughput: u32,
) -> impl Layered<u64, Out = Outcome> + use<S> {
    let context = ResilienceContext::new(clock);
    (
        Breaker::layer("breaker", &context)
            .failure_threshold(0.9)
            .min_throughput(min_throughput)
            .break_duration(HOUR)
            .recovery_with(|outcome, _| recovery(outcome))
            .rejected_input_error(|_, _| open()),
        Execute::new(move |number| service.attempt(number)),
    )
        .into_service()
}

fn retry<S: Service>(clock: &Clock, service: S) -> impl Layered<u64, Out = Outcome> + use<S> {
    let context = ResilienceContext::new(clock);
    (
        Retry::layer("retry", &context)
            .clone_input()
            .max_retry_attempts(ATTEMPTS - 1)
            .base_delay(Duration::ZERO)
            .recovery_with(|outcome, _| recovery(outcome)),
        Execute::new(move |number| service.attempt(number)),
    )
        .into_service()
}

fn timeout<S: Service>(clock: &Clock, service: S) -> impl Layered<u64, Out = Outcome> + use<S> {
    let context = ResilienceContext::new(clock);
    (
        Timeout::layer("timeout", &context)
            .timeout(TIMEOUT)
            .timeout_error(|_| Failure::TimedOut),
        Execute::new(move |number| service.attempt(number)),
    )
        .into_service()
}

fn lane(
    driver: Driver,
    name: &'static str,
    expected: fn(&Outcome) -> bool,
    service: impl Layered<u64, Out = Outcome> + 'static,
) -> Lane {
    Lane::new(driver, name, expected, async move |number| {
        service.execute(number).await
    })
}

fn recovery(outcome: &Outcome) -> RecoveryInfo {
    match outcome {
        Err(Failure::Down | Failure::TimedOut) => RecoveryInfo::retry(),
        _ => RecoveryInfo::never(),
    }
}
