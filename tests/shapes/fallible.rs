//! The dependency of these tests: it fails as often as it is told to.

use std::sync::atomic::{AtomicU32, Ordering};

use resilient::{Classify, Rejection};

#[derive(Debug, PartialEq, Classify, thiserror::Error)]
pub(crate) enum Failure {
    #[error("not this time")]
    #[transient]
    Again,
    #[error("never")]
    #[permanent]
    Never,
    #[error("not a number")]
    #[ignored]
    Number(#[from] std::num::ParseIntError),
    #[error(transparent)]
    #[classify(source)]
    Refused(#[from] Rejection),
}

/// Counts its calls and fails the first of them.
pub(crate) struct Attempts {
    calls: AtomicU32,
    failing: u32,
}

impl Attempts {
    pub(crate) const fn failing(failing: u32) -> Self {
        Attempts {
            calls: AtomicU32::new(0),
            failing,
        }
    }

    /// One call: the number of it, or a transient failure.
    pub(crate) async fn next(&self) -> Result<u32, Failure> {
        tokio::task::yield_now().await;
        self.next_now()
    }

    pub(crate) fn next_now(&self) -> Result<u32, Failure> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if call > self.failing {
            Ok(call)
        } else {
            Err(Failure::Again)
        }
    }

    pub(crate) fn made(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

/// A future as `tokio::spawn` wants it, but for the lifetime.
pub(crate) fn sendable<F: std::future::Future + Send>(future: F) -> F {
    future
}

/// A budget that tests never exhaust, for functions that are called again and again.
pub(crate) fn register_plenty() {
    use resilient::{Dependency, budget::Budget, register};

    // Each test that needs it registers it; all but the first are told that it is there.
    let _ = register(Dependency::named("plenty").budget(Budget::unlimited()));
}
