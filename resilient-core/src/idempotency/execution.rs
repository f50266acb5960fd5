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
    retried: bool,
}

impl Execution {
    pub(super) fn new(id: RecordId, won: super::Won) -> Self {
        Execution {
            inner: Arc::new(Inner {
                id,
                fence: won.fence,
                attempts: won.attempts,
                checkpoint: won.checkpoint,
                retried: won.retried,
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

    /// Whether the run before this one said that it failed. If there was one and it did not, it fell
    /// silent.
    pub fn retried(&self) -> bool {
        self.inner.retried
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
    pub(crate) struct Within<F> {
        execution: Kept,
        #[pin]
        future: F,
    }
}

impl<F> Within<F> {
    pub(crate) fn new(execution: Execution, future: F) -> Self {
        Within {
            execution: Kept(Some(execution)),
            future,
        }
    }
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _back = this.execution.enter();
        this.future.poll(cx)
    }
}

/// A run kept for the code that is part of it, while that does not run.
#[derive(Debug)]
pub(crate) struct Kept(Option<Execution>);

impl Kept {
    /// The run around this code, for another task.
    pub(crate) fn current() -> Self {
        Kept(current())
    }

    /// Makes it the current one until what is returned is dropped: on unwinding, too.
    pub(crate) fn enter(&mut self) -> Swapped<'_> {
        CURRENT.with_borrow_mut(|current| std::mem::swap(current, &mut self.0));
        Swapped { kept: self }
    }
}

/// The current run exchanged for another.
pub(crate) struct Swapped<'a> {
    kept: &'a mut Kept,
}

impl Drop for Swapped<'_> {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| std::mem::swap(current, &mut self.kept.0));
    }
}
