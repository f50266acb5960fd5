//! What peers' own tests ask of each policy, row by row: the same script, and our outcome.
//!
//! Where it is not the peer's, the row says why. `tests/rows.rs` knows which rows there are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod breaker_closed;
mod breaker_play;
mod breaker_states;
mod breaker_windows;
#[allow(dead_code)]
#[path = "../contract/script.rs"]
mod script;
