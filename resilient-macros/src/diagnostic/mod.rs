//! How mistakes are gathered and told: all of one item at once, each at the token that is wrong.

mod collect;
mod slot;
mod suggest;

pub(crate) use collect::Errors;
pub(crate) use slot::Slot;
pub(crate) use suggest::{listed, nearest};
