//! Chance, and numbers on their way between whole and broken ones.

use rand::RngExt;
use rand::rngs::StdRng;

/// A draw from the exponential distribution with the mean 1.
pub(crate) fn exponential(chance: &mut StdRng) -> f64 {
    // 1 - u is never zero.
    -(1.0 - chance.random::<f64>()).ln()
}

/// The whole number that is nearest.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub(crate) fn count(number: f64) -> usize {
    number.round() as usize
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub(crate) fn to_float(number: usize) -> f64 {
    number as f64
}
