//! tower-resilience: all protections, as layers of tower.
//!
//! Each task has a clone of the service and waits until it is ready before each call.

use std::fmt::Debug;

use resilient_benches::failure::{Failure, Outcome};
use resilient_benches::lane::{Driver, Lane, refused, runtime, worked};
use tower::{Service as Tower, ServiceBuilder, ServiceExt, service_fn};
use tower_resilience_bulkhead::{BulkheadLayer, BulkheadServiceError};
use tower_resilience_circuitbreaker::{
    CircuitBreakerConfigBuilder, CircuitBreakerError, CircuitBreakerLayer, DefaultClassifier,
};
use tower_resilience_retry::{RetryBudgetBuilder, RetryLayer};
use tower_resilience_timelimiter::{FixedTimeout, TimeLimiterError, TimeLimiterLayer};

use crate::service::{ATTEMPTS, DEADLINE, HOUR, LIMIT, Service, TIMEOUT, down, open};

/// All it has, stacked.
pub(crate) const FULL: &str = "tower-resilience, full stack";
const BREAKER: &str = "tower-resilience, breaker";

/// The stack and its parts around calls that work.
pub(crate) fn lanes(driver: Driver, service: impl Service) -> Vec<Lane> {
    let function = service_fn(move |number| service.attempt(number));
    let breaker = breaker(closed()).layer_fn(function);
    let retry = ServiceBuilder::new()
        .layer(retry(|failure| matches!(failure, Failure::Down)))
        .service(function);
    let bulkhead = ServiceBuilder::new().layer(bulkhead()).service(function);
    let timeout = ServiceBuilder::new().layer(timeout()).service(function);
    vec![
        lane(driver, FULL, worked, full(service, closed()), from_full),
        lane(driver, BREAKER, worked, breaker, from_breaker),
        lane(
            driver,
            "tower-resilience, retry and budget",
            worked,
            retry,
            |failure| failure,
        ),
        lane(
            driver,
            "tower-resilience, bulkhead",
            worked,
            bulkhead,
            from_bulkhead,
        ),
        lane(
            driver,
            "tower-resilience, timeout",
            worked,
            timeout,
            from_timeout,
        ),
    ]
}

/// The stack alone.
pub(crate) fn stack(driver: Driver, service: impl Service) -> Lane {
    lane(driver, FULL, worked, full(service, closed()), from_full)
}

/// The stack and the breaker, open for an hour.
pub(crate) fn rejecting(driver: Driver) -> Vec<Lane> {
    let brittle = || {
        CircuitBreakerLayer::builder()
            .consecutive_failures(1)
            .wait_duration_in_open(HOUR)
    };
    let full = full(down, brittle());
    let breaker = breaker(brittle()).layer_fn(service_fn(down));
    runtime().block_on(async {
        let _ = full.clone().oneshot(0).await;
        let _ = breaker.clone().oneshot(0).await;
    });
    vec![
        lane(driver, FULL, refused, full, from_full),
        lane(driver, BREAKER, refused, breaker, from_breaker),
    ]
}

/// One call through a clone of the stack.
pub(crate) async fn oneshot<S>(service: S, number: u64) -> Outcome
where
    S: Tower<u64, Response = u64, Error = FullError>,
{
    service.oneshot(number).await.map_err(from_full)
}

/// What its stack calls an error.
pub(crate) type FullError = TimeLimiterError<AttemptError>;
type AttemptError = CircuitBreakerError<BulkheadServiceError<TimeLimiterError<Failure>>>;

/// The stack, as one service that can be cloned.
pub(crate) fn steady(
    service: impl Service,
) -> impl Tower<u64, Response = u64, Error = FullError, Future: Send> + Clone + Send + Sync {
    full(service, closed())
}

fn full(
    service: impl Service,
    config: CircuitBreakerConfigBuilder<DefaultClassifier>,
) -> impl Tower<u64, Response = u64, Error = FullError, Future: Send> + Clone + Send + Sync {
    let again = |error: &AttemptError| match error {
        CircuitBreakerError::Inner(BulkheadServiceError::Inner(error)) => {
            matches!(
                error,
                TimeLimiterError::Timeout | TimeLimiterError::Inner(Failure::Down)
            )
        }
        _ => false,
    };
    let deadline = TimeLimiterLayer::<FixedTimeout>::builder().timeout_duration(DEADLINE);
    ServiceBuilder::new()
        .layer(deadline.build())
        .layer(retry(again))
        .layer(breaker(config))
        .layer(bulkhead())
        .layer(timeout())
        .service(service_fn(move |number| service.attempt(number)))
}

fn closed() -> CircuitBreakerConfigBuilder<DefaultClassifier> {
    // Two of three attempts fail in one workload, and must not open it.
    CircuitBreakerLayer::builder().failure_rate_threshold(0.9)
}

fn breaker(
    config: CircuitBreakerConfigBuilder<DefaultClassifier>,
) -> CircuitBreakerLayer<DefaultClassifier> {
    config.build().expect("a valid breaker")
}

fn retry<E>(again: impl Fn(&E) -> bool + Send + Sync + 'static) -> RetryLayer<u64, u64, E> {
    let budget = RetryBudgetBuilder::new()
        .token_bucket()
        .max_tokens(1_000_000)
        .build();
    RetryLayer::builder()
        .max_attempts(ATTEMPTS as usize)
        .fixed_backoff(std::time::Duration::ZERO)
        .budget(budget.expect("a valid budget"))
        .retry_on(again)
        .build()
}

fn bulkhead() -> BulkheadLayer {
    let bulkhead = BulkheadLayer::builder().max_concurrent_calls(LIMIT);
    bulkhead.reject_when_full().build().expect("a valid limit")
}

fn timeout() -> TimeLimiterLayer<FixedTimeout> {
    TimeLimiterLayer::<FixedTimeout>::builder()
        .timeout_duration(TIMEOUT)
        .build()
}

fn lane<S>(
    driver: Driver,
    name: &'static str,
    expected: fn(&Outcome) -> bool,
    service: S,
    failure: fn(S::Error) -> Failure,
) -> Lane
where
    S: Tower<u64, Response = u64, Error: Debug> + Clone + Send + Sync + 'static,
{
    Lane::with_own(driver, name, expected, move || {
        let mut service = service.clone();
        async move |number| {
            let ready = service.ready().await.map_err(failure)?;
            ready.call(number).await.map_err(failure)
        }
    })
}

fn from_full(error: FullError) -> Failure {
    match error {
        TimeLimiterError::Timeout => Failure::TimedOut,
        TimeLimiterError::Inner(CircuitBreakerError::OpenCircuit) => open(),
        TimeLimiterError::Inner(CircuitBreakerError::Inner(error)) => match error {
            BulkheadServiceError::Bulkhead(_) => Failure::Full,
            BulkheadServiceError::Inner(error) => from_timeout(error),
        },
    }
}

fn from_breaker(error: CircuitBreakerError<Failure>) -> Failure {
    match error {
        CircuitBreakerError::OpenCircuit => open(),
        CircuitBreakerError::Inner(failure) => failure,
    }
}

fn from_bulkhead(error: BulkheadServiceError<Failure>) -> Failure {
    match error {
        BulkheadServiceError::Bulkhead(_) => Failure::Full,
        BulkheadServiceError::Inner(failure) => failure,
    }
}

fn from_timeout(error: TimeLimiterError<Failure>) -> Failure {
    match error {
        TimeLimiterError::Timeout => Failure::TimedOut,
        TimeLimiterError::Inner(failure) => failure,
    }
}
