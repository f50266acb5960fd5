//! What the code inside a run knows about it.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::{Fence, RecordId};

thread_local! {
    static CURRENT: RefCell<Option<Execution>> = const { RefCell::new(None) };
}

/// What the code inside a run knows about it: its fence, and keys to pass on.
#[derive(Clone, Debug)]
pub struct Execution {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    id: RecordId,
    fence: Fence,
    attempts: u32,
    checkpoint: Option<String>,
}

impl Execution {
    pub(super) fn new(id: RecordId, won: super::Won) -> Self {
        Execution {
            inner: Arc::new(Inner {
                id,
                fence: won.fence,
                attempts: won.attempts,
                checkpoint: won.checkpoint,
            }),
        }
    }

    /// The record it runs under.
    pub fn id(&self) -> &RecordId {
        &self.inner.id
    }

    /// A number larger than that of every run before it: a resource that remembers the largest one
    /// it has seen can refuse an owner that was given up.
    pub fn fence(&self) -> Fence {
        self.inner.fence
    }

    /// How many runs were begun under the record, this one included.
    pub fn attempts(&self) -> u32 {
        self.inner.attempts
    }

    /// How far the run before this one came, if it said so and did not live to its end.
    pub fn checkpoint(&self) -> Option<&str> {
        self.inner.checkpoint.as_deref()
    }

    /// A key to send along with one request made by this run, see [`RecordId::derived_key`].
    pub fn derived_key(&self, purpose: &str) -> String {
        self.inner.id.derived_key(purpose)
    }
}

/// The run this code is part of, if it is part of one.
///
/// ```
/// # use resilient_core as resilient;
/// assert!(resilient::idempotency::current().is_none());
/// ```
pub fn current() -> Option<Execution> {
    CURRENT.with_borrow(Clone::clone)
}

pin_project_lite::pin_project! {
    /// A future in which [`current`] answers.
    pub(super) struct Within<F> {
        execution: Option<Execution>,
        #[pin]
        future: F,
    }
}

impl<F> Within<F> {
    pub(super) fn new(execution: Execution, future: F) -> Self {
        Within {
            execution: Some(execution),
            future,
        }
    }
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _back = Swapped::new(this.execution);
        this.future.poll(cx)
    }
}

/// The current run exchanged for another, until this is dropped: a panic included.
struct Swapped<'a> {
    kept: &'a mut Option<Execution>,
}

impl<'a> Swapped<'a> {
    fn new(kept: &'a mut Option<Execution>) -> Self {
        CURRENT.with_borrow_mut(|current| std::mem::swap(current, kept));
        Swapped { kept }
    }
}

impl Drop for Swapped<'_> {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| std::mem::swap(current, self.kept));
    }
}
