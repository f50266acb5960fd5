//! Counting outcomes: those of a time in [`Buckets`], the last so many in [`Latest`].
//!
//! A success that was ready at once has no clock reading at hand and takes no lock: it goes into
//! the [`Tally`] until somebody comes who has both.

mod buckets;
mod latest;
mod tally;

#[cfg(test)]
#[cfg(not(loom))]
pub(crate) mod reference;

pub(crate) use buckets::Buckets;
pub(crate) use latest::Latest;
pub(crate) use tally::Tally;
