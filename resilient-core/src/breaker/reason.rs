//! What an operator says about a forced state.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Why an operator forced a state, in the operator's words; made by
/// `BreakerControl::because`.
///
/// A copy shares the text.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("payment"))?;
/// let breaker = registry.breaker("payment")?;
/// breaker.because("new database").force_open();
/// assert_eq!(breaker.snapshot().reason.as_deref(), Some("new database"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Boxed once more, and so one word: it is in errors, which every call has room for. Always std's
// `Arc`, because errors outlive a model checker's run.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Reason(Arc<Box<str>>);

impl Reason {
    /// `None` for an empty text.
    #[cfg(any(feature = "runtime", test))]
    pub(crate) fn new(text: impl Into<Box<str>>) -> Option<Self> {
        let text = text.into();
        (!text.is_empty()).then(|| Reason(Arc::new(text)))
    }
}

impl Deref for Reason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Reason {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
