//! Libraries that retry and nothing else.

use std::future::{Ready, ready};
use std::iter::repeat_n;
use std::time::Duration;

use backon::{ConstantBuilder, Retryable};
use resilient_benches::failure::{Failure, Outcome};
use resilient_benches::lane::{Driver, Lane, worked};
use tokio_retry2::{Retry, RetryError};

use crate::service::{ATTEMPTS, Service};

const RETRIES: usize = ATTEMPTS as usize - 1;

/// backon, with tokio's sleep between the attempts.
pub(crate) fn backon(driver: Driver, service: impl Service) -> Lane {
    let pauses = ConstantBuilder::new()
        .with_delay(Duration::ZERO)
        .with_max_times(RETRIES);
    Lane::new(driver, "backon, retry", worked, async move |number| {
        (async || service.attempt(number).await)
            .retry(pauses)
            .when(is_down)
            .await
    })
}

/// backon, without sleeping.
pub(crate) fn backon_sleepless(driver: Driver, service: impl Service) -> Lane {
    let pauses = ConstantBuilder::new()
        .with_delay(Duration::ZERO)
        .with_max_times(RETRIES);
    let sleeper = |_: Duration| -> Ready<()> { ready(()) };
    Lane::new(
        driver,
        "backon, retry, told not to sleep",
        worked,
        async move |number| {
            (async || service.attempt(number).await)
                .retry(pauses)
                .sleep(sleeper)
                .when(is_down)
                .await
        },
    )
}

/// tokio-retry2.
pub(crate) fn tokio_retry2(driver: Driver, service: impl Service) -> Lane {
    Lane::new(driver, "tokio-retry2, retry", worked, async move |number| {
        let attempt = async || classified(service.attempt(number).await);
        Retry::spawn(repeat_n(Duration::ZERO, RETRIES), attempt).await
    })
}

fn is_down(failure: &Failure) -> bool {
    matches!(failure, Failure::Down)
}

fn classified(outcome: Outcome) -> Result<u64, RetryError<Failure>> {
    outcome.map_err(|failure| match failure {
        Failure::Down => RetryError::transient(failure),
        _ => RetryError::permanent(failure),
    })
}
