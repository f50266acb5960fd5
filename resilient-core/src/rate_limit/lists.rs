//! Keys that are always let through, and keys that never are.

use std::collections::HashMap;
use std::sync::PoisonError;

use crate::seam::sync::{AtomicBool, Ordering, RwLock};

/// What is listed, by key. While nothing is, looking costs one load.
#[derive(Debug, Default)]
pub(super) struct Lists {
    any: AtomicBool,
    listed: RwLock<HashMap<Box<str>, Listed>>,
}

/// What becomes of a key's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// They pass and are not counted.
    Allowed,
    /// They are refused and not counted.
    Denied,
}

impl Lists {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Relaxed)
    }

    pub(super) fn get(&self, key: &str) -> Option<Listed> {
        if self.is_empty() {
            return None;
        }
        let listed = self.listed.read().unwrap_or_else(PoisonError::into_inner);
        listed.get(key).copied()
    }

    /// Puts a key on one list, or on none.
    pub(super) fn set(&self, key: &str, to: Option<Listed>) {
        let mut listed = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        match to {
            Some(to) => {
                listed.insert(key.into(), to);
            }
            None => {
                listed.remove(key);
            }
        }
        self.any.store(!listed.is_empty(), Ordering::Relaxed);
    }
}
