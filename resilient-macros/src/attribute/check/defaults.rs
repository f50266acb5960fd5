//! Whether options can stand on an impl block.

use super::options::contradictions;
use crate::attribute::options::Options;
use crate::diagnostic::Errors;

/// Notes what is wrong with the options of an impl block before any method is looked at. What they
/// lack, a method may have.
pub(crate) fn defaults(options: &Options, errors: &mut Errors) {
    if let Some(name) = options.name.key() {
        errors.at(
            name,
            "`name` names one function; write it in the `#[resilient(..)]` of the method",
        );
    }
    if let Some(clone) = options.clone.key() {
        errors.at(
            clone,
            "`clone` is for arguments of one function; write it in the `#[resilient(..)]` of the \
             method",
        );
    }
    contradictions(options, errors);
}
