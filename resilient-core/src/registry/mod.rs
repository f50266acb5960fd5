//! Where dependency names get their meaning.

mod check;
mod error;
mod limiters;
#[cfg(test)]
#[cfg(loom)]
mod models;
mod shared;
#[cfg(feature = "idempotency")]
mod stores;
mod transitions;

use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, LazyLock, PoisonError};

pub use check::{CheckError, Problem};
pub use error::RegisterError;
pub(crate) use limiters::Limiters;
pub use limiters::{limiter, register_limiter};
pub(crate) use shared::Shared;
#[cfg(feature = "idempotency")]
pub use stores::{ledger, register_store};
pub use transitions::Transitions;

use crate::breaker::BreakerControl;
use crate::dependency::{Dependency, DependencySettings, DependencyState, Directory};
use crate::levers::Levers;
use crate::rejection::NotRegistered;
use crate::seam::random::Random;
use crate::seam::sync::RwLock;
use crate::site::{Plan, Site};
#[cfg(feature = "faults")]
use crate::testing::{Faults, InvalidFaults};

use transitions::Announcements;

/// A set of registered dependencies. Cloning gives another handle to the same set.
///
/// Most programs use the process-wide one through [`register`] and [`check`]. Tests and tenants
/// make their own and run code inside it with [`scope`](crate::scope).
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
}

struct Inner {
    known: Directory,
    limiters: Limiters,
    /// Sites resolved here, by the address of their static. The process-wide registry leaves
    /// this empty: its sites keep their plans themselves.
    plans: RwLock<HashMap<usize, Arc<Plan>>>,
    announcements: Announcements,
    shared: Shared,
    passthrough: bool,
}

static GLOBAL: LazyLock<Registry> = LazyLock::new(Registry::new);

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Registry::with(Random::default(), false)
    }

    /// An empty registry whose jitter and keys follow from `seed`: the same calls in the same
    /// order draw the same delays. For tests.
    pub fn seeded(seed: u64) -> Self {
        Registry::with(Random::seeded(seed), false)
    }

    /// A registry in which annotated functions run bare, see `testing::passthrough`.
    pub(crate) fn passthrough() -> Self {
        Registry::with(Random::default(), true)
    }

    fn with(random: Random, passthrough: bool) -> Self {
        Registry {
            inner: Arc::new(Inner {
                known: Directory::default(),
                limiters: Limiters::default(),
                plans: RwLock::default(),
                announcements: Announcements::default(),
                shared: Shared::drawing_from(random),
                passthrough,
            }),
        }
    }

    /// The process-wide registry.
    pub fn global() -> &'static Registry {
        &GLOBAL
    }

    /// Registers a dependency, or says everything that is wrong with it.
    ///
    /// # Errors
    ///
    /// [`RegisterError::Invalid`] lists every setting that cannot work;
    /// [`RegisterError::AlreadyRegistered`] names both places. To change the numbers of a
    /// registered dependency use [`Registry::update`].
    #[track_caller]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a dependency is registered once"
    )]
    pub fn register(&self, dependency: Dependency) -> Result<(), RegisterError> {
        let place = Location::caller();
        let settings = Registry::settings(&dependency)?;
        let name = settings.name.clone();
        let make = || {
            let announcer = self.inner.announcements.announcer();
            DependencyState::new(settings, self.random(), announcer, place)
        };
        let added = self.inner.known.add(&name, make);
        added.map_err(|first| RegisterError::AlreadyRegistered {
            name: name.to_string(),
            first: first.registered_at,
            second: place,
        })
    }

    /// Changes the numbers of a registered dependency while calls are running.
    ///
    /// Everything `dependency` leaves out goes back to its default. Counters, tokens, permits and
    /// the breaker's state stay; calls in progress see the new numbers at their next decision.
    ///
    /// # Errors
    ///
    /// [`RegisterError::Invalid`] as for [`Registry::register`], and then nothing has changed;
    /// [`RegisterError::Unknown`] if the name is not registered.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "the same shape as `register`"
    )]
    pub fn update(&self, dependency: Dependency) -> Result<(), RegisterError> {
        let settings = Registry::settings(&dependency)?;
        let known = &self.inner.known;
        let state = known
            .get(&settings.name)
            .ok_or_else(|| RegisterError::Unknown {
                name: settings.name.to_string(),
                near: known.near(&settings.name),
            })?;
        state.reconfigure(settings);
        Ok(())
    }

    fn settings(dependency: &Dependency) -> Result<DependencySettings, RegisterError> {
        dependency
            .settings()
            .map_err(|problems| RegisterError::Invalid {
                name: dependency.name().to_owned(),
                problems,
            })
    }

    /// The breaker of a dependency, for operators: its state, and the levers to force it.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn breaker(&self, name: &str) -> Result<BreakerControl, NotRegistered> {
        self.require("breaker", name, || None)
            .map(|state| BreakerControl::of(&state.breaker))
    }

    /// The levers for all calls in this registry.
    pub fn levers(&self) -> Levers {
        self.inner.shared.levers.clone()
    }

    /// The levers for all calls of functions that name a dependency.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn levers_of(&self, name: &str) -> Result<Levers, NotRegistered> {
        self.require("dependency", name, || None)
            .map(|state| state.levers.clone())
    }

    /// Puts faults in force, in place of those in force before; [`Faults::none`] ends them.
    ///
    /// # Errors
    ///
    /// [`InvalidFaults`] with everything that is wrong with them, and then nothing has changed.
    #[cfg(feature = "faults")]
    pub fn inject(&self, faults: Faults) -> Result<(), InvalidFaults> {
        let drawn = faults.check()?.map(Arc::new);
        self.inner.shared.faults.store(drawn);
        Ok(())
    }

    /// The state changes of all breakers from now on, see [`Transitions`].
    pub fn subscribe(&self) -> Transitions {
        self.inner.announcements.subscribe()
    }

    /// Looks up a name that an option of a site, or an operator, uses as a `kind`.
    pub(crate) fn require(
        &self,
        kind: &'static str,
        name: &str,
        site: impl FnOnce() -> Option<String>,
    ) -> Result<Arc<DependencyState>, NotRegistered> {
        self.inner.known.require(kind, name, site)
    }

    /// Every registered dependency, by name.
    pub(crate) fn states(&self) -> Vec<Arc<DependencyState>> {
        self.inner.known.all()
    }

    /// Looks at a site's plan: that of its calls, or else at what a call would do. Nothing, while a
    /// name is not registered.
    pub(crate) fn look_at<R: Default>(
        &self,
        site: &'static Site,
        look: impl FnOnce(&Plan) -> R,
    ) -> R {
        if self.is_global()
            && let Some(plan) = site.known_plan()
        {
            return look(plan);
        }
        let plans = &self.inner.plans;
        let plans = plans.read().unwrap_or_else(PoisonError::into_inner);
        let known = plans.get(&address(site)).cloned();
        drop(plans);
        match known.map_or_else(|| self.resolve(site).map(Arc::new), Ok) {
            Ok(plan) => look(&plan),
            Err(_) => R::default(),
        }
    }

    /// Joins a site's options with what is registered here.
    pub(crate) fn resolve(&self, site: &Site) -> Result<Plan, NotRegistered> {
        let Inner {
            known,
            limiters,
            shared,
            ..
        } = &*self.inner;
        Plan::resolve(site, known, limiters, shared)
    }

    /// The plan of a site in this registry; misses are not remembered.
    pub(crate) fn plan(&self, site: &'static Site) -> Result<Arc<Plan>, NotRegistered> {
        let address = address(site);
        let plans = self
            .inner
            .plans
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(&address) {
            return Ok(plan.clone());
        }
        drop(plans);
        let resolved = Arc::new(self.resolve(site)?);
        let mut plans = self
            .inner
            .plans
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(plans.entry(address).or_insert(resolved).clone())
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.shared
    }

    fn random(&self) -> &Random {
        &self.inner.shared.random
    }

    pub(crate) fn is_passthrough(&self) -> bool {
        self.inner.passthrough
    }

    pub(crate) fn is_global(&self) -> bool {
        Arc::ptr_eq(&self.inner, &GLOBAL.inner)
    }
}

/// What tells sites apart.
fn address(site: &'static Site) -> usize {
    std::ptr::from_ref(site).addr()
}

impl Default for Registry {
    fn default() -> Self {
        Registry::new()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("dependencies", &self.inner.known.names())
            .finish_non_exhaustive()
    }
}

/// Registers a dependency in the process-wide registry, see [`Registry::register`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Dependency, register};
///
/// register(Dependency::named("search").timeout("800ms"))?;
/// assert!(register(Dependency::named("search")).is_err(), "one name, one place");
/// # Ok::<(), resilient::RegisterError>(())
/// ```
#[track_caller]
pub fn register(dependency: Dependency) -> Result<(), RegisterError> {
    GLOBAL.register(dependency)
}

/// Changes the numbers of a dependency in the process-wide registry, see [`Registry::update`].
pub fn update(dependency: Dependency) -> Result<(), RegisterError> {
    GLOBAL.update(dependency)
}

/// Checks every annotated function against the process-wide registry, see [`Registry::check`].
pub fn check() -> Result<(), CheckError> {
    GLOBAL.check()
}

/// Checks the annotated functions of some crates against the process-wide registry, see
/// [`Registry::check_crates`].
pub fn check_crates(crates: &[&str]) -> Result<(), CheckError> {
    GLOBAL.check_crates(crates)
}

/// The state changes of all breakers of the process-wide registry, see [`Registry::subscribe`].
pub fn subscribe() -> Transitions {
    GLOBAL.subscribe()
}

/// The breaker of a dependency in the process-wide registry, see [`Registry::breaker`].
pub fn breaker(name: &str) -> Result<BreakerControl, NotRegistered> {
    GLOBAL.breaker(name)
}

/// The levers for all calls in the process-wide registry, see [`Levers`].
pub fn levers() -> Levers {
    GLOBAL.levers()
}

/// The levers of a dependency in the process-wide registry, see [`Levers`].
pub fn levers_of(name: &str) -> Result<Levers, NotRegistered> {
    GLOBAL.levers_of(name)
}

/// Puts faults in force in the process-wide registry, see [`Registry::inject`].
#[cfg(feature = "faults")]
pub fn inject(faults: Faults) -> Result<(), InvalidFaults> {
    GLOBAL.inject(faults)
}
