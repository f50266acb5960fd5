//! A bulkhead that is one counter.

use std::sync::atomic::{AtomicU32, Ordering};

use super::LIMIT;
use crate::failure::Failure;

/// The permits that are taken.
#[derive(Default)]
pub(crate) struct Permits(AtomicU32);

/// One permit, given back when dropped.
pub(crate) struct Permit<'a>(&'a Permits);

impl Permits {
    /// A permit, if one is free.
    #[inline]
    pub(crate) fn take(&self) -> Result<Permit<'_>, Failure> {
        let permit = Permit(self);
        if self.0.fetch_add(1, Ordering::Acquire) >= LIMIT {
            return Err(Failure::Full);
        }
        Ok(permit)
    }
}

impl Drop for Permit<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}
