//! What policies do, played row by row on whole calls under a paused clock.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod adaptive;
