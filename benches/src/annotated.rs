//! The bodies of all lanes under the attribute.

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{Dependency, RegisterError};

/// The bodies once more for every set of policies.
macro_rules! protected {
    ($($policies:ident: #[$attribute:meta];)*) => {$(
        #[allow(dead_code, reason = "not every workload is run under every policy")]
        pub(crate) mod $policies {
            use crate::body::{self, Failures};
            use crate::failure::Outcome;

            #[$attribute]
            pub(crate) async fn ready(number: u64) -> Outcome {
                body::ready(number).await
            }

            #[$attribute]
            pub(crate) async fn pending(number: u64) -> Outcome {
                body::pending(number).await
            }

            #[$attribute]
            pub(crate) async fn flaky(failures: &Failures, number: u64) -> Outcome {
                body::flaky(failures, number).await
            }

            #[$attribute]
            pub(crate) async fn sleeping(number: u64) -> Outcome {
                body::sleeping(number).await
            }

            #[$attribute]
            pub(crate) async fn nested(number: u64) -> Outcome {
                pending(number).await
            }
        }
    )*};
}

protected! {
    // The same functions without the library.
    plain: #[inline];
    full: #[resilient::resilient(dependency = "steady", idempotent)];
    retry: #[resilient::resilient(retry = "steady", idempotent)];
    breaker: #[resilient::resilient(breaker = "steady")];
    bulkhead: #[resilient::resilient(bulkhead = "steady")];
    timeout: #[resilient::resilient(timeout = "5s")];
    deadline: #[resilient::resilient(deadline = "15s")];
    crowded: #[resilient::resilient(dependency = "crowded", idempotent)];
    broken: #[resilient::resilient(dependency = "broken", idempotent)];
    broken_breaker: #[resilient::resilient(breaker = "broken")];
}

/// Registers what the annotations name, and breaks what is to be broken.
pub(crate) fn register() -> Result<(), RegisterError> {
    resilient::register(sound("steady").bulkhead(Bulkhead::max_concurrent(1024)))?;
    resilient::register(sound("crowded").bulkhead(Bulkhead::max_concurrent(16_384)))?;
    resilient::register(
        Dependency::named("broken")
            .breaker(Breaker::consecutive(1).open_for("1h"))
            .bulkhead(Bulkhead::max_concurrent(1024)),
    )
}

fn sound(name: &'static str) -> Dependency {
    Dependency::named(name)
        .retry(Retry::max(3).base("0s"))
        // Two of three attempts fail in one workload, and must not open it.
        .breaker(Breaker::failure_rate(0.9))
        // As many tokens as the retries of that workload take.
        .budget(Budget::tokens(1_000_000).refill_per_success(2.0))
        .timeout("5s")
        .deadline("15s")
}
