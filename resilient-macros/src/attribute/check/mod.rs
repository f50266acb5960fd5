//! What no single option can know.

mod function;
mod options;

pub(crate) use function::function;
pub(crate) use options::options;
