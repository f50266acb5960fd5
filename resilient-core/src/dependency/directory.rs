//! What is registered, by name.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use super::DependencyState;
use crate::name::{Name, near};
use crate::rejection::NotRegistered;
use crate::seam::sync::RwLock;

/// What is registered, by name: dependencies, or something else.
#[derive(Debug)]
pub(crate) struct Directory<T = DependencyState> {
    known: RwLock<HashMap<Name, Arc<T>>>,
}

impl<T> Default for Directory<T> {
    fn default() -> Self {
        Directory {
            known: RwLock::default(),
        }
    }
}

impl<T> Directory<T> {
    /// Adds what `make` makes, unless the name is taken: then the one that has it is the error.
    pub(crate) fn add(&self, name: &Name, make: impl FnOnce() -> T) -> Result<(), Arc<T>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = known.get(name) {
            return Err(first.clone());
        }
        known.insert(name.clone(), Arc::new(make()));
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<T>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(name).cloned()
    }

    /// Looks up a name that `site` uses as a `kind`.
    pub(crate) fn require(
        &self,
        kind: &'static str,
        name: &str,
        site: impl FnOnce() -> Option<String>,
    ) -> Result<Arc<T>, NotRegistered> {
        self.get(name).ok_or_else(|| NotRegistered {
            kind,
            name: name.to_owned(),
            near: self.near(name),
            site: site(),
        })
    }

    /// Names that `name` may have been meant for.
    pub(crate) fn near(&self, name: &str) -> Vec<String> {
        near(name, self.names().iter().map(|known| &**known))
    }

    /// Everything registered, by name.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = known.iter().collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all.into_iter().map(|(_, one)| one.clone()).collect()
    }

    /// All names, sorted.
    pub(crate) fn names(&self) -> Vec<Name> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<_> = known.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}
