//! The three things an engine must not reach for by itself: time, chance, and shared memory.
//!
//! Each has one door here, so that tests can pause the clock, seed the dice, and let a model
//! checker schedule the atomics.

pub(crate) mod clock;
pub(crate) mod random;
pub(crate) mod serial;
pub(crate) mod shard;
pub(crate) mod sync;
pub(crate) mod timer;
