//! The key that lets a server recognise a repeated request, and the texts that keys are made of.

use std::fmt;
use std::sync::Arc;

/// One key for all attempts of a call, another for the next call.
///
/// Drawn at random (128 bits, printed as 32 hexadecimal digits) or taken from an expression at
/// the call site. `Debug` shows only the first characters, because keys may be derived from
/// customers' data; `Display` writes it whole, for the request header.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::IdempotencyKey;
///
/// let key = IdempotencyKey::from("order-4711");
/// assert_eq!(key.to_string(), "order-4711");
/// assert_eq!(format!("{key:?}"), "IdempotencyKey(orde..)");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(Arc<Form>);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Drawn(u128),
    Given(Box<str>),
}

impl IdempotencyKey {
    pub(crate) fn drawn(bits: u128) -> Self {
        IdempotencyKey(Arc::new(Form::Drawn(bits)))
    }
}

/// What `idempotency_key = expr` may be: anything with a text.
#[diagnostic::on_unimplemented(
    message = "an idempotency key must be `Display`, but `{Self}` is not",
    label = "not `Display`",
    note = "write an expression whose text is the key, for example the field of an argument or `format_args!(..)`; or leave the value out for a random key"
)]
pub trait KeyText {
    /// The key with this text.
    fn key(&self) -> IdempotencyKey;
}

#[diagnostic::do_not_recommend]
impl<T: fmt::Display + ?Sized> KeyText for T {
    fn key(&self) -> IdempotencyKey {
        given(&self)
    }
}

fn given(value: &dyn fmt::Display) -> IdempotencyKey {
    IdempotencyKey::from(value.to_string())
}

/// What `breaker(key = expr)` may be: anything with a text.
#[diagnostic::on_unimplemented(
    message = "the key of a breaker must be `Display`, but `{Self}` is not",
    label = "not `Display`",
    note = "write an expression whose text names what is called, for example the field of an argument or `format_args!(..)`"
)]
pub trait BreakerKeyText {
    /// The text.
    fn text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: fmt::Display + ?Sized> BreakerKeyText for T {
    fn text(&self) -> String {
        self.to_string()
    }
}

/// What `rate_limit(key = expr)` may be: anything with a text.
#[diagnostic::on_unimplemented(
    message = "the key of a rate limit must be `Display`, but `{Self}` is not",
    label = "not `Display`",
    note = "write an expression whose text says who is counted, for example the field of an argument or `format_args!(..)`"
)]
pub trait RateLimitKeyText {
    /// The text.
    fn text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: fmt::Display + ?Sized> RateLimitKeyText for T {
    fn text(&self) -> String {
        self.to_string()
    }
}

/// What `rate_limit(cost = expr)` may be: a `u32`.
#[diagnostic::on_unimplemented(
    message = "the cost of a rate limit is a `u32`, but this is `{Self}`",
    label = "not a `u32`",
    note = "convert it, for example with `u32::try_from(items.len()).unwrap_or(u32::MAX)`"
)]
pub trait RateLimitCost {
    /// The number.
    fn cost(&self) -> u32;
}

impl RateLimitCost for u32 {
    fn cost(&self) -> u32 {
        *self
    }
}

impl From<&str> for IdempotencyKey {
    fn from(value: &str) -> Self {
        IdempotencyKey(Arc::new(Form::Given(value.into())))
    }
}

impl From<String> for IdempotencyKey {
    fn from(value: String) -> Self {
        IdempotencyKey(Arc::new(Form::Given(value.into())))
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Form::Drawn(bits) => write!(f, "{bits:032x}"),
            Form::Given(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.to_string().chars().take(4).collect();
        write!(f, "IdempotencyKey({shown}..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_key_is_32_digits() {
        assert_eq!(
            IdempotencyKey::drawn(0xab).to_string(),
            format!("{:0>32}", "ab")
        );
        assert_eq!(IdempotencyKey::drawn(u128::MAX).to_string().len(), 32);
    }
}
