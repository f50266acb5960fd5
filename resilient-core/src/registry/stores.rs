//! The registered stores of idempotency keys, by name.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::PoisonError;

use super::{GLOBAL, RegisterError, Registry};
use crate::idempotency::Ledger;
use crate::name::{Name, near};
use crate::rejection::NotRegistered;
use crate::seam::sync::RwLock;

/// The registered stores, by name.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    known: RwLock<HashMap<Name, Registered>>,
}

#[derive(Debug)]
struct Registered {
    ledger: Ledger,
    at: &'static Location<'static>,
}

impl Stores {
    fn add(
        &self,
        name: Name,
        ledger: Ledger,
        at: &'static Location<'static>,
    ) -> Result<(), RegisterError> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = known.get(&name) {
            return Err(RegisterError::StoreAlreadyRegistered {
                name: name.to_string(),
                first: first.at,
                second: at,
            });
        }
        known.insert(name, Registered { ledger, at });
        Ok(())
    }

    /// Looks up a name that `site` uses.
    pub(crate) fn require(
        &self,
        name: &str,
        site: impl FnOnce() -> Option<String>,
    ) -> Result<Ledger, NotRegistered> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        match known.get(name) {
            Some(registered) => Ok(registered.ledger.clone()),
            None => Err(NotRegistered {
                kind: "store",
                name: name.to_owned(),
                near: near(name, known.keys().map(|known| &**known)),
                site: site(),
            }),
        }
    }
}

impl Registry {
    /// Registers a store of idempotency keys, for functions with `idempotent(store = "..")`.
    ///
    /// Names of stores are their own: a dependency may have the same.
    ///
    /// # Errors
    ///
    /// [`RegisterError::InvalidStoreName`] says what is wrong with the name;
    /// [`RegisterError::StoreAlreadyRegistered`] names both places.
    #[track_caller]
    pub fn register_store(&self, name: &str, ledger: Ledger) -> Result<(), RegisterError> {
        let at = Location::caller();
        let name = Name::new(name).map_err(|problem| RegisterError::InvalidStoreName {
            name: name.to_owned(),
            problem,
        })?;
        self.shared().stores.add(name, ledger, at)
    }

    /// A registered store, for operators: what it holds, and what is uncertain.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn ledger(&self, name: &str) -> Result<Ledger, NotRegistered> {
        self.shared().stores.require(name, || None)
    }
}

/// Registers a store of idempotency keys in the process-wide registry, see
/// [`Registry::register_store`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::{Effects, Idempotency, Ledger, MemoryStore};
///
/// let rules = Idempotency::of(Effects::Keyed).ttl("24h");
/// let ledger = Ledger::new(MemoryStore::new(10_000), &rules)?;
/// resilient::register_store("orders", ledger.clone())?;
/// assert!(resilient::register_store("orders", ledger).is_err(), "one name, one place");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn register_store(name: &str, ledger: Ledger) -> Result<(), RegisterError> {
    GLOBAL.register_store(name, ledger)
}

/// A store of the process-wide registry, for operators, see [`Registry::ledger`].
pub fn ledger(name: &str) -> Result<Ledger, NotRegistered> {
    GLOBAL.ledger(name)
}
