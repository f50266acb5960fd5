//! A table that decides, with copies of what is final in front of it.
//!
//! Most repeats of a request come soon after its answer, when the client did not hear it. A copy in
//! Redis answers them without the table being asked, and since nothing but what is final is ever
//! copied, a copy cannot let anything run: without it, the table is asked, and that is all.

mod config;
mod copies;
mod copy;
mod counts;
mod generations;
mod local;
mod runs;
mod store;

pub use config::Copies;
pub use counts::{CopyCounter, CopyCounts};
pub use store::Tiered;
