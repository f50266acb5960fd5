//! Constants of the user's in an attribute. The macro, which reads the literals, cannot see them: they
//! pass through one of these in the site's static, where a wrong one is a compile error.

use std::time::Duration;

use crate::name::is_valid_name;

/// The name of a dependency or a limiter.
///
/// # Panics
///
/// If it is none.
#[must_use]
pub const fn name(name: &'static str) -> &'static str {
    assert!(
        is_valid_name(name),
        "a name has 1 to 128 letters, digits, `.`, `_` and `-`"
    );
    name
}

/// `timeout = { .. }`
///
/// # Panics
///
/// If it is zero.
#[must_use]
pub const fn timeout(timeout: Duration) -> Duration {
    assert!(
        !timeout.is_zero(),
        "`timeout` must be greater than zero; leave it out, or name a longer constant"
    );
    timeout
}

/// `deadline = { .. }`
///
/// # Panics
///
/// If it is zero.
#[must_use]
pub const fn deadline(deadline: Duration) -> Duration {
    assert!(
        !deadline.is_zero(),
        "`deadline` must be greater than zero; leave it out, or name a longer constant"
    );
    deadline
}

/// `rate_limit(cost = { .. })`
///
/// # Panics
///
/// If it is zero.
#[must_use]
pub const fn cost(cost: u32) -> u32 {
    assert!(
        cost > 0,
        "`cost` must be at least 1; leave it out, or name a larger constant"
    );
    cost
}
