//! Counts outside of this process.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::config::LimitSettings;
use super::decision::Decision;
use super::error::StoreError;
use crate::name::Name;

/// What a store's functions return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Counts that several processes share.
///
/// One call is one decision about all limits of one key, made on the store's own clock. A future
/// that is dropped may or may not have taken what it asked for.
///
/// ```
/// # use resilient_core as resilient;
/// use std::sync::Arc;
/// use resilient::rate_limit::{
///     Ask, Decision, Limit, RateLimit, RateLimiter, Reading, Store, StoreFuture,
/// };
///
/// /// Has room for everybody.
/// #[derive(Debug)]
/// struct Generous;
///
/// impl Store for Generous {
///     fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
///         Box::pin(async move {
///             let readings = ask.limits.iter().map(|limit| Reading {
///                 remaining: limit.capacity(),
///                 ..Reading::default()
///             });
///             Ok(Decision::new(ask.limits.clone(), readings.collect(), true, ask.cost, 0))
///         })
///     }
///
///     fn refund<'a>(&'a self, _: Ask<'a>, _: &'a Decision) -> StoreFuture<'a, ()> {
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limit = RateLimit::named("api").limit(Limit::fixed("burst", 5, "1s"));
/// let api = RateLimiter::over(Arc::new(Generous), limit)?;
/// assert!(api.check("user-7", 1).await?.is_allowed());
/// # Ok(()) }
/// ```
pub trait Store: Send + Sync + fmt::Debug {
    /// Takes the cost from every limit of the key, if it fits all of them, and from none if not.
    ///
    /// A cost beyond the [capacity](LimitSettings::capacity) of a limit is never asked for. With
    /// `charge` off, or a cost of 0, nothing is taken.
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision>;

    /// Gives back what `decision` took, as far as it has not come back by itself: within the same
    /// window, and never below zero. `ask` is what had been asked.
    fn refund<'a>(&'a self, ask: Ask<'a>, decision: &'a Decision) -> StoreFuture<'a, ()>;
}

/// What a store is asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ask<'a> {
    /// The limiter: keys of different ones are different, and so are limits of the same name.
    pub limiter: &'a Name,
    /// Who asks; empty, if all share one count.
    pub key: &'a str,
    /// What it costs.
    pub cost: u32,
    /// Whether to take it, or only to say whether it would fit.
    pub charge: bool,
    /// The key's limits now.
    pub limits: &'a Arc<[LimitSettings]>,
}

impl<'a> Ask<'a> {
    /// For tests of stores: what a limiter asks.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Name;
    /// use resilient::rate_limit::{Ask, Limit, RateLimit};
    ///
    /// let settings = RateLimit::named("api").limit(Limit::fixed("burst", 5, "1s")).settings()?;
    /// let limits = settings.limits.into();
    /// let ask = Ask::new(&settings.name, "user-7", 1, true, &limits);
    /// assert_eq!(ask.cost, 1);
    /// # Ok::<(), Vec<resilient::invalid::InvalidSetting>>(())
    /// ```
    #[must_use]
    pub fn new(
        limiter: &'a Name,
        key: &'a str,
        cost: u32,
        charge: bool,
        limits: &'a Arc<[LimitSettings]>,
    ) -> Self {
        Ask {
            limiter,
            key,
            cost,
            charge,
            limits,
        }
    }
}
