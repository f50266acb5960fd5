//! Shared memory, replaceable by a model checker with `--cfg loom`.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};
#[cfg(not(loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

// Always std's: who shares a policy decides nothing the models check, and both ends of the
// library must agree on one type.
pub(crate) use std::sync::Arc;
use std::sync::{PoisonError, TryLockError};

/// A mutex that outlives a panic: the engines keep their invariants between statements, so a
/// poisoned lock says nothing about the state behind it.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Lock(Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless another thread has it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Between a sequentially consistent write and the read that must not overtake it.
///
/// Both being `SeqCst` is enough for that, so this is nothing; but `loom` takes them for less, and
/// only a fence tells it.
pub(crate) fn handshake() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}
