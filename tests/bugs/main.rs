//! Defects that were reported against other libraries, tried here.
//!
//! A case is numbered as in `tests/rows/cases.txt`. Those that are held beside an engine, or by a
//! rule of the contract, are named there; these are the others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../script/mod.rs"]
mod script;

mod attempts;
mod clock;
mod counting;
mod deadline;
mod permits;
mod probes;
mod timers;
mod waits;
