//! The run under an idempotency key around the running code, where there is such a thing.

#[cfg(feature = "idempotency")]
pub(super) use crate::idempotency::Kept;

/// Without keys there are no runs under them.
#[cfg(not(feature = "idempotency"))]
#[derive(Debug)]
pub(super) struct Kept;

#[cfg(not(feature = "idempotency"))]
impl Kept {
    pub(super) fn current() -> Self {
        Kept
    }

    #[allow(clippy::unused_self, reason = "the shape of the other one")]
    pub(super) fn enter(&mut self) -> impl Drop + use<> {
        Nothing
    }
}

#[cfg(not(feature = "idempotency"))]
struct Nothing;

#[cfg(not(feature = "idempotency"))]
impl Drop for Nothing {
    fn drop(&mut self) {}
}
