//! Every lint of clippy, `restriction` included, on functions with the attribute. What the same
//! functions trip without it is expected in `bare` and allowed in `protected`, and nothing else is.

// shape 66, 68; case N10
#![deny(
    warnings,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction
)]
#![expect(
    clippy::blanket_clippy_restriction_lints,
    reason = "none of them may be tripped by what the attribute writes"
)]

pub mod bare;
pub mod failure;
pub mod protected;
