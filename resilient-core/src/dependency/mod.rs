//! A dependency by name, with every policy that guards calls to it.

mod config;
#[cfg(feature = "runtime")]
mod directory;
#[cfg(feature = "runtime")]
mod recent;
#[cfg(feature = "runtime")]
mod state;

pub use config::{Dependency, DependencySettings};
#[cfg(feature = "runtime")]
pub(crate) use directory::Directory;
#[cfg(feature = "runtime")]
pub(crate) use state::DependencyState;
