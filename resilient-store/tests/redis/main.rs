//! What becomes of records and copies when Redis fails, forgets, or holds something else: on a
//! private server that the tests kill, freeze and flush.
#![cfg(feature = "redis")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod actor;
mod advice;
mod copies;
mod copies_lost;
mod copies_removed;
mod fences;
mod garbage;
mod lifetimes;
mod outages;
mod records;
mod spy;
