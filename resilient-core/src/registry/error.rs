//! Why a registration was refused.

use std::fmt::{self, Write};
use std::panic::Location;

use crate::invalid::InvalidSetting;

/// Why a dependency, a store or a rate limiter could not be registered, or a dependency not updated.
///
/// Its `Debug` is its message, because a `main` that returns it prints that.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Settings that cannot work, all of them.
    #[error("dependency `{name}` has settings that cannot work:{}", list(problems))]
    Invalid {
        /// The dependency, as it was named.
        name: String,
        /// What is wrong, setting by setting.
        problems: Vec<InvalidSetting>,
    },
    /// The name is taken.
    #[error(
        "dependency `{name}` is registered twice: first at {first}, again at {second}; register it \
         once, and use `update` to change its numbers later"
    )]
    AlreadyRegistered {
        /// The dependency.
        name: String,
        /// Where it was registered.
        first: &'static Location<'static>,
        /// Where it was registered again.
        second: &'static Location<'static>,
    },
    /// The name is another limiter's.
    #[error(
        "rate limiter `{name}` is registered twice: first at {first}, again at {second}; register \
         it once, and use `RateLimiter::update` to change its numbers later"
    )]
    LimiterAlreadyRegistered {
        /// The limiter.
        name: String,
        /// Where it was registered.
        first: &'static Location<'static>,
        /// Where it was registered again.
        second: &'static Location<'static>,
    },
    /// An update of a dependency nobody registered.
    #[error(
        "dependency `{name}` is not registered and cannot be updated{}",
        suggest(near)
    )]
    Unknown {
        /// The dependency, as it was named.
        name: String,
        /// Registered names that are near.
        near: Vec<String>,
    },
    /// What cannot name a store.
    #[cfg(feature = "idempotency")]
    #[error("the store `{name}` cannot be registered: {problem}")]
    InvalidStoreName {
        /// The name as it was given.
        name: String,
        /// What is wrong with it.
        problem: InvalidSetting,
    },
    /// The name of a store is taken.
    #[cfg(feature = "idempotency")]
    #[error(
        "store `{name}` is registered twice: first at {first}, again at {second}; register it once"
    )]
    StoreAlreadyRegistered {
        /// The store.
        name: String,
        /// Where it was registered.
        first: &'static Location<'static>,
        /// Where it was registered again.
        second: &'static Location<'static>,
    },
}

impl fmt::Debug for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn list(problems: &[InvalidSetting]) -> String {
    problems.iter().fold(String::new(), |mut text, problem| {
        let _ = write!(text, "\n  - {problem}");
        text
    })
}

/// `; did you mean ..?`, or nothing.
fn suggest(near: &[String]) -> String {
    match near {
        [] => String::new(),
        names => format!("; did you mean `{}`?", names.join("`, `")),
    }
}
