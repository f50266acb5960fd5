//! Keeps Rust services up when what they depend on goes down.
