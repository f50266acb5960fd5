//! What other libraries do in their own tests and specifications, row by row, and what we do.
//!
//! A row is numbered as in `tests/rows/`, where a table of each section says what the rows are
//! about. Where ours differs, the row holds our outcome and `why` says the reason.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../script/mod.rs"]
mod script;

mod adaptive;
mod breaker_closed;
mod breaker_play;
mod breaker_states;
mod breaker_windows;
mod budget;
mod bulkhead;
mod choices;
mod combinations;
mod delays;
mod fallback;
mod identity;
mod refused;
mod retry;
mod timeout;
