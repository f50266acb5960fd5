//! Rate limits that Redis counts, also when it fails, forgets, or holds something else: on a private
//! server that the tests kill, freeze and flush.
#![cfg(feature = "redis")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agreement;
mod batch_outages;
mod batches;
mod decisions;
mod denials;
mod healing;
mod hostile;
mod outages;
mod scripts;
mod stage;
mod time;
mod warnings;
