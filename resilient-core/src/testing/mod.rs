//! For tests of annotated code, and for game days.

#[cfg(feature = "faults")]
mod faults;

#[cfg(feature = "faults")]
pub use faults::{Fault, Faults, InvalidFaults};
#[cfg(feature = "faults")]
pub(crate) use faults::{FaultSwitch, Suffers};

use crate::registry::Registry;

/// A registry in which annotated functions run bare: no retries, no limits, no names to register.
///
/// For unit tests that are about the function, not about its policies.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use resilient::{scope, testing};
///
/// scope(&testing::passthrough(), async {
///     // annotated functions called here run as if they were not annotated
/// })
/// .await;
/// # }
/// ```
pub fn passthrough() -> Registry {
    Registry::passthrough()
}
