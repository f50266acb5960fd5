//! Breakers: a dependency that keeps failing is left alone for a while.

mod state;

pub use state::BreakerState;
