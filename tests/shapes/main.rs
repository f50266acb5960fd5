//! Every shape of function that can be protected, compiled and run: the body runs again after a
//! transient failure, on arguments that the first attempt left as they were.
//!
//! The same sources are built in the editions 2018, 2021 and 2024.

// shape 66
#![deny(warnings)]
#![deny(clippy::all, clippy::pedantic)]
#![allow(clippy::panic, clippy::unwrap_used)]

mod arguments;
mod boxed;
mod clashes;
mod control_flow;
mod drops;
mod dynamic;
mod fallible;
mod fragments;
mod hedged;
mod hygiene;
mod impl_blocks;
mod kinds;
mod options;
mod receivers;
mod returns;
mod spawning;
mod temporaries;
