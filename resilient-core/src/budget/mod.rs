//! Budgets: how much of the traffic to a dependency may be retries.
//!
//! A retry helps while few calls fail. When most do, retries multiply the load on a dependency
//! that is already down, and keep it there. A budget is shared by all calls on a dependency: once
//! it is spent, calls return their last outcome instead of trying again. First attempts are never
//! held back and never paid for.

mod config;

#[cfg(feature = "runtime")]
mod handle;
#[cfg(feature = "runtime")]
mod ratio;
#[cfg(feature = "runtime")]
mod tokens;

#[cfg(test)]
#[cfg(all(loom, feature = "runtime"))]
mod models;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod tests;

pub use config::{Budget, BudgetSettings};
#[cfg(feature = "runtime")]
pub(crate) use handle::BudgetHandle;
