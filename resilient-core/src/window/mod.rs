//! Counting outcomes over time.
//!
//! Whoever has a clock reading at hand counts into [`Buckets`]; a success that was ready at once
//! has none, and goes into the [`Tally`] until somebody reads the clock.

mod buckets;
mod tally;

pub(crate) use buckets::Buckets;
pub(crate) use tally::Tally;
