//! The policies of a dependency around a closure, for code that cannot carry an attribute.

use std::fmt;
use std::sync::Arc;

use crate::breaker::BreakerKey;
use crate::call::{ByFn, Call, FromRejection, by_trait, rejected, settle};
use crate::class::{Class, Classify};
use crate::registry::Registry;
use crate::rejection::NotRegistered;
use crate::site::{Plan, Safety};

/// Every policy of a dependency, to be put around closures.
///
/// The same engine as under the attribute. What it cannot do is lend a `&mut` of the caller to
/// the closure's future; that needs the attribute.
///
/// Say whether repeating a call is safe: with [`Policy::idempotent`], or
/// [`Policy::not_idempotent`]. The startup check sees annotated functions only; a policy that says
/// nothing repeats.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("clock"))?;
/// let clock = registry.policy("clock")?.idempotent();
/// let time = clock.call(|| async { Ok::<_, std::io::Error>("12:00") }).await?;
/// assert_eq!(time, "12:00");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    plan: Arc<Plan>,
    breaker_key: Option<BreakerKey>,
}

impl Policy {
    /// Says that repeating a call is safe.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.with_safety(Safety::Idempotent)
    }

    /// Says that repeating a call is not safe: only failures that were certainly not sent are
    /// repeated.
    #[must_use]
    pub fn not_idempotent(self) -> Self {
        self.with_safety(Safety::NotIdempotent)
    }

    fn with_safety(self, safety: Safety) -> Self {
        Policy {
            plan: Arc::new(self.plan.with_safety(safety)),
            ..self
        }
    }

    /// Has the calls go through the breaker that the dependency has for `key`, as `breaker(key = ..)`
    /// does.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use resilient::{Dependency, Registry};
    ///
    /// let registry = Registry::new();
    /// registry.register(Dependency::named("orders"))?;
    /// let orders = registry.policy("orders")?.idempotent();
    /// let shard = orders.clone().breaker_key("shard-7");
    /// registry.breaker("orders")?.key("shard-7").force_open();
    /// let count = || async { Ok::<_, std::io::Error>(3) };
    /// assert!(shard.call(count).await.is_err());
    /// assert_eq!(orders.breaker_key("shard-8").call(count).await?, 3);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn breaker_key(self, key: impl fmt::Display) -> Self {
        Policy {
            breaker_key: Some(BreakerKey::new(key.to_string())),
            ..self
        }
    }

    fn start(&self) -> Call {
        let mut call = Call::of(&self.plan);
        if let Some(key) = &self.breaker_key {
            call.guard_by(key);
        }
        call
    }

    /// Calls `body` until it succeeds or the policies end it. The error type says what its values
    /// mean (`E: Classify`), and can hold what the policies say (`E: From<Rejection>`).
    ///
    /// `body` is called once per attempt, when the attempt is admitted and not before.
    ///
    /// # Errors
    ///
    /// The last outcome itself, or a `Rejection` if no attempt finished. Cancel safe: dropping
    /// the future gives everything back.
    pub async fn call<T, E, F, B>(&self, body: F) -> Result<T, E>
    where
        F: FnMut() -> B,
        B: Future<Output = Result<T, E>>,
        E: Classify + FromRejection,
    {
        let mut body = body;
        let mut call = self.start();
        let mut last = None;
        loop {
            // Called inside the attempt: after the backoff, and only if it is admitted.
            let mut out = call.attempt(async { body().await }).await;
            settle(&mut call, &mut out, &mut last, by_trait(), rejected);
            if let Some(outcome) = out {
                return outcome;
            }
        }
    }

    /// Like [`Policy::call`], with a function that says what an outcome means: it sees `Ok`
    /// values too.
    pub async fn call_classified<T, E, F, B>(
        &self,
        classify: impl Fn(&Result<T, E>) -> Class,
        body: F,
    ) -> Result<T, E>
    where
        F: FnMut() -> B,
        B: Future<Output = Result<T, E>>,
        E: FromRejection,
    {
        let mut body = body;
        let mut call = self.start();
        let mut last = None;
        loop {
            // Called inside the attempt: after the backoff, and only if it is admitted.
            let mut out = call.attempt(async { body().await }).await;
            settle(&mut call, &mut out, &mut last, ByFn(&classify), rejected);
            if let Some(outcome) = out {
                return outcome;
            }
        }
    }
}

impl Registry {
    /// The policies of a dependency for closures, see [`Policy::call`].
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn policy(&self, name: &str) -> Result<Policy, NotRegistered> {
        let state = self.require("dependency", name, || None)?;
        Ok(Policy {
            plan: Arc::new(Plan::whole(&state, self.shared())),
            breaker_key: None,
        })
    }
}

/// The policies of a dependency in the process-wide registry, see [`Registry::policy`].
pub fn policy(name: &str) -> Result<Policy, NotRegistered> {
    Registry::global().policy(name)
}
