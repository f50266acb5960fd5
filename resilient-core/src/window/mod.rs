//! Counting outcomes over time.
