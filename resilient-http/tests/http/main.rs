//! The layers, as their clients see them. Rows of the tables of cases are named in the tests.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs)]

mod app;
mod bodies;
mod flaky_store;
mod log;

mod concurrent;
mod deadline;
mod detached;
mod ends;
mod fingerprints;
mod grpc;
mod keys;
mod limits;
mod logs;
mod outgoing;
mod replays;
mod scopes;
mod settings;
mod socket;
mod statuses;
mod store_down;
