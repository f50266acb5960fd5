//! What no single option can know.

mod claim;
mod defaults;
mod function;
mod options;

pub(crate) use defaults::defaults;
pub(crate) use function::function;
pub(crate) use options::options;
