//! Which of many a breaker is, where a dependency is really many.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Which of many a breaker is: a shard, a tenant, a host; the text of `breaker(key = ..)`.
///
/// It is a name, and told like one: in rejections, transitions and events. So write the name of what
/// is called, and no secret.
///
/// A copy shares the text.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("orders"))?;
/// let orders = registry.breaker("orders")?;
/// orders.key("shard-7").force_open();
/// let keys = orders.keys();
/// assert_eq!(&*keys[0], "shard-7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Boxed once more, and so one word: it is in errors, which every call has room for. Always std's
// `Arc`, because errors outlive a model checker's run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BreakerKey(Arc<Box<str>>);

#[cfg(any(feature = "runtime", test))]
impl BreakerKey {
    pub(crate) fn new(text: impl Into<Box<str>>) -> Self {
        BreakerKey(Arc::new(text.into()))
    }
}

impl Deref for BreakerKey {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for BreakerKey {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for BreakerKey {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for BreakerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for BreakerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
