//! How mistakes are gathered and told: all of one item at once, each at the token that is wrong.

mod collect;
mod example;
mod slot;
mod suggest;
mod written;

pub(crate) use collect::Errors;
pub(crate) use example::{example, value_missing};
pub(crate) use slot::Slot;
pub(crate) use suggest::{listed, nearest};
pub(crate) use written::written;
