//! tower: it has no breaker.
//!
//! Each task has a clone of the service and waits until it is ready before each call.

use std::future::Ready;
use std::sync::Arc;
use std::time::Duration;

use resilient_benches::failure::{Failure, Outcome};
use resilient_benches::lane::{Driver, Lane, no_room, runtime, worked};
use tower::load_shed::error::Overloaded;
use tower::retry::Policy;
use tower::retry::budget::{Budget, TpsBudget};
use tower::timeout::error::Elapsed;
use tower::{BoxError, Service as Tower, ServiceBuilder, ServiceExt, service_fn};

use crate::service::{ATTEMPTS, DEADLINE, LIMIT, Service, TIMEOUT};

/// All it has, stacked.
pub(crate) const FULL: &str = "tower, full stack but a breaker";

/// The stack and its parts around calls that work in the end.
pub(crate) fn lanes(driver: Driver, service: impl Service) -> Vec<Lane> {
    let timeout = ServiceBuilder::new()
        .timeout(TIMEOUT)
        .service(service_fn(move |number| service.attempt(number)));
    let limit = ServiceBuilder::new()
        .concurrency_limit(LIMIT)
        .map_err(BoxError::from)
        .service(service_fn(move |number| service.attempt(number)));
    vec![
        lane(driver, FULL, worked, full(service, LIMIT)),
        retry(driver, service),
        lane(driver, "tower, concurrency limit", worked, limit),
        lane(driver, "tower, timeout", worked, timeout),
    ]
}

/// The stack and its retries around calls that fail twice.
pub(crate) fn retrying(driver: Driver, service: impl Service) -> Vec<Lane> {
    vec![
        lane(driver, FULL, worked, full(service, LIMIT)),
        retry(driver, service),
    ]
}

/// The stack, with no slot left.
pub(crate) fn rejecting(driver: Driver, service: impl Service) -> Lane {
    let full = full(service, 0);
    lane(driver, FULL, no_room, full)
}

/// The stack, as one service that can be cloned.
pub(crate) fn full(
    service: impl Service,
    limit: usize,
) -> impl Tower<u64, Response = u64, Error = BoxError, Future: Send> + Clone + Send + Sync {
    ServiceBuilder::new()
        .timeout(DEADLINE)
        .retry(Retries::new())
        .load_shed()
        .concurrency_limit(limit)
        .timeout(TIMEOUT)
        .service(service_fn(move |number| service.attempt(number)))
}

fn retry(driver: Driver, service: impl Service) -> Lane {
    let retry = ServiceBuilder::new()
        .retry(Retries::new())
        .map_err(BoxError::from)
        .service(service_fn(move |number| service.attempt(number)));
    lane(driver, "tower, retry and budget", worked, retry)
}

fn lane<S>(driver: Driver, name: &'static str, expected: fn(&Outcome) -> bool, service: S) -> Lane
where
    S: Tower<u64, Response = u64, Error = BoxError> + Clone + Send + Sync + 'static,
{
    let _context = runtime().enter();
    Lane::with_own(driver, name, expected, move || {
        let mut service = service.clone();
        async move |number| {
            let ready = service.ready().await.map_err(from_tower)?;
            ready.call(number).await.map_err(from_tower)
        }
    })
}

/// A call by a task that has no clone of its own.
pub(crate) async fn oneshot<S>(service: S, number: u64) -> Outcome
where
    S: Tower<u64, Response = u64, Error = BoxError>,
{
    service.oneshot(number).await.map_err(from_tower)
}

fn from_tower(error: BoxError) -> Failure {
    if error.is::<Overloaded>() {
        return Failure::Full;
    }
    if error.is::<Elapsed>() {
        return Failure::TimedOut;
    }
    error.downcast().map_or(Failure::Down, |failure| *failure)
}

/// tower leaves the policy to its user; this is the one of its documentation, with a budget.
#[derive(Clone)]
struct Retries {
    left: u32,
    budget: Arc<TpsBudget>,
}

impl Retries {
    fn new() -> Self {
        // As many retries as the failing calls of one workload need.
        let budget = TpsBudget::new(Duration::from_secs(10), 1_000_000, 1000.0);
        Retries {
            left: ATTEMPTS - 1,
            budget: Arc::new(budget),
        }
    }
}

impl Policy<u64, u64, BoxError> for Retries {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut u64, result: &mut Result<u64, BoxError>) -> Option<Ready<()>> {
        let Err(error) = result else {
            self.budget.deposit();
            return None;
        };
        let again = matches!(error.downcast_ref(), Some(Failure::Down));
        if !again || self.left == 0 || !self.budget.withdraw() {
            return None;
        }
        self.left -= 1;
        Some(std::future::ready(()))
    }

    fn clone_request(&mut self, number: &u64) -> Option<u64> {
        Some(*number)
    }
}
