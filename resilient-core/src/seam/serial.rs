//! Numbers that no two things of this process share.

use std::sync::atomic::{AtomicU32, Ordering};

/// The next number, starting at 1. Not part of any engine's state, so never a model checker's.
pub(crate) fn next() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
