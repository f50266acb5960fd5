//! Libraries that are a breaker and nothing else.

use circuitbreaker_rs::{BreakerError, CircuitBreaker, DefaultPolicy};
use failsafe::backoff::{self, EqualJittered};
use failsafe::failure_policy::{self, ConsecutiveFailures, OrElse, SuccessRateOverTimeWindow};
use failsafe::futures::CircuitBreaker as _;
use failsafe::{Config, StateMachine};
use recloser::{AsyncRecloser, Recloser};
use resilient_benches::failure::Failure;
use resilient_benches::lane::{Driver, Lane, refused, runtime, worked};

use crate::service::{HOUR, Service, down, open};

const FAILSAFE: &str = "failsafe, breaker";
const RECLOSER: &str = "recloser, breaker";
const CIRCUITBREAKER: &str = "circuitbreaker-rs, breaker";

/// All of them, closed.
pub(crate) fn closed(driver: Driver, service: impl Service) -> Vec<Lane> {
    let failsafe = failsafe_closed();
    let consecutive = failsafe_consecutive();
    let recloser = AsyncRecloser::from(Recloser::default());
    let circuit = Circuit::builder().build();
    vec![
        Lane::new(driver, FAILSAFE, worked, async move |number| {
            let call = failsafe.call(service.attempt(number));
            call.await.map_err(from_failsafe)
        }),
        Lane::new(
            driver,
            "failsafe, breaker of consecutive failures",
            worked,
            async move |number| {
                let call = consecutive.call(service.attempt(number));
                call.await.map_err(from_failsafe)
            },
        ),
        Lane::new(driver, RECLOSER, worked, async move |number| {
            let call = recloser.call(service.attempt(number));
            call.await.map_err(from_recloser)
        }),
        Lane::new(driver, CIRCUITBREAKER, worked, async move |number| {
            let call = circuit.call_async(|| service.attempt(number));
            call.await.map_err(from_circuitbreaker)
        }),
    ]
}

/// All of them, open for an hour.
pub(crate) fn opened(driver: Driver, service: impl Service) -> Vec<Lane> {
    let failsafe = failsafe_consecutive();
    let recloser = Recloser::custom().closed_len(1).open_wait(HOUR).build();
    let recloser = AsyncRecloser::from(recloser);
    let circuit = Circuit::builder().cooldown(HOUR).build();
    circuit.force_open();
    runtime().block_on(async {
        for number in 0..3 {
            let _ = failsafe.call(down(number)).await;
            let _ = recloser.call(down(number)).await;
        }
    });
    vec![
        Lane::new(driver, FAILSAFE, refused, async move |number| {
            let call = failsafe.call(service.attempt(number));
            call.await.map_err(from_failsafe)
        }),
        Lane::new(driver, RECLOSER, refused, async move |number| {
            let call = recloser.call(service.attempt(number));
            call.await.map_err(from_recloser)
        }),
        Lane::new(driver, CIRCUITBREAKER, refused, async move |number| {
            let call = circuit.call_async(|| service.attempt(number));
            call.await.map_err(from_circuitbreaker)
        }),
    ]
}

type Circuit = CircuitBreaker<DefaultPolicy, Failure>;

type Failsafe = StateMachine<
    OrElse<SuccessRateOverTimeWindow<EqualJittered>, ConsecutiveFailures<EqualJittered>>,
    (),
>;

fn failsafe_closed() -> Failsafe {
    Config::new().build()
}

fn failsafe_consecutive() -> StateMachine<ConsecutiveFailures<backoff::Constant>, ()> {
    let policy = failure_policy::consecutive_failures(3, backoff::constant(HOUR));
    Config::new().failure_policy(policy).build()
}

fn from_failsafe(error: failsafe::Error<Failure>) -> Failure {
    match error {
        failsafe::Error::Inner(failure) => failure,
        failsafe::Error::Rejected => open(),
    }
}

fn from_recloser(error: recloser::Error<Failure>) -> Failure {
    match error {
        recloser::Error::Inner(failure) => failure,
        recloser::Error::Rejected => open(),
    }
}

fn from_circuitbreaker(error: BreakerError<Failure>) -> Failure {
    match error {
        BreakerError::Operation(failure) => failure,
        _ => open(),
    }
}
