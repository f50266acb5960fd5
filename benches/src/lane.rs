//! One way to make a call, again and again.

use std::hint::black_box;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::Rejection;
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;

use crate::failure::{Failure, Outcome};
use crate::own_time::OwnTime;
use crate::rounds::Timed;

/// The runtime of lanes on one thread; timers need one.
#[expect(
    clippy::expect_used,
    reason = "without a runtime there is nothing to measure"
)]
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
});

/// The runtime of lanes on several threads.
#[expect(
    clippy::expect_used,
    reason = "without a runtime there is nothing to measure"
)]
static SHARED: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .expect("a runtime")
});

/// The runtime that lanes run in, for what must be made inside it.
pub fn runtime() -> &'static Runtime {
    &RUNTIME
}

/// A named loop over a call.
pub struct Lane {
    name: &'static str,
    future: usize,
    same_path: bool,
    batch: Box<dyn Fn(u32) -> u32 + Send + Sync>,
}

impl Timed for Lane {
    const FEWEST: u32 = 64;

    fn name(&self) -> &'static str {
        self.name
    }

    /// The thread's own time: the neighbours' does not count.
    fn time(&self, calls: u32) -> Duration {
        let start = OwnTime::of_thread();
        self.run(calls);
        start.elapsed()
    }
}

/// Who polls the calls of a lane.
#[derive(Clone, Copy)]
pub enum Driver {
    /// A task of the runtime.
    Task,
    /// One of several threads that share a runtime, as the tasks of a service do.
    Thread,
    /// A loop inside the runtime's context, with a waker that does nothing: what is left when the
    /// scheduler's part is taken away.
    Hand,
}

impl Lane {
    /// A lane that makes `call` and checks that it comes out as `expected`.
    pub fn new(
        driver: Driver,
        name: &'static str,
        expected: fn(&Outcome) -> bool,
        call: impl AsyncFn(u64) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let future = size_of_val(&call(0));
        Lane {
            name,
            future,
            same_path: true,
            batch: match driver {
                Driver::Task => Box::new(move |calls| in_task(&RUNTIME, calls, expected, &call)),
                Driver::Thread => Box::new(move |calls| in_task(&SHARED, calls, expected, &call)),
                Driver::Hand => Box::new(move |calls| by_hand(calls, expected, &call)),
            },
        }
    }

    /// A lane whose task has something of its own to call with, as a service that must be called by
    /// one at a time: `prepare` makes it, before the first call of a batch.
    pub fn with_own<C>(
        driver: Driver,
        name: &'static str,
        expected: fn(&Outcome) -> bool,
        prepare: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self
    where
        C: AsyncFnMut(u64) -> Outcome,
    {
        let future = size_of_val(&prepare()(0));
        Lane {
            name,
            future,
            same_path: true,
            batch: match driver {
                Driver::Task => {
                    Box::new(move |calls| in_task(&RUNTIME, calls, expected, prepare()))
                }
                Driver::Thread => {
                    Box::new(move |calls| in_task(&SHARED, calls, expected, prepare()))
                }
                Driver::Hand => Box::new(move |calls| by_hand(calls, expected, prepare())),
            },
        }
    }

    /// The calls do not all execute the same instructions, so that these cannot be counted.
    #[must_use]
    pub fn never_the_same(mut self) -> Self {
        self.same_path = false;
        self
    }

    /// What the table calls it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Bytes of what the caller awaits.
    pub(crate) fn future(&self) -> usize {
        self.future
    }

    /// Whether all calls execute the same instructions.
    pub(crate) fn same_path(&self) -> bool {
        self.same_path
    }

    /// Makes so many calls.
    ///
    /// # Panics
    ///
    /// If one does not come out as expected.
    pub fn run(&self, calls: u32) {
        let right = (self.batch)(calls);
        assert_eq!(right, calls, "{}: some calls came out wrong", self.name);
    }
}

fn in_task(
    runtime: &Runtime,
    calls: u32,
    expected: fn(&Outcome) -> bool,
    mut call: impl AsyncFnMut(u64) -> Outcome,
) -> u32 {
    // Tokio's cooperation would make a task yield now and then.
    runtime.block_on(unconstrained(async {
        let mut right = 0;
        for number in 0..calls {
            let outcome = call(black_box(u64::from(number))).await;
            right += u32::from(expected(&outcome));
        }
        right
    }))
}

fn by_hand(
    calls: u32,
    expected: fn(&Outcome) -> bool,
    mut call: impl AsyncFnMut(u64) -> Outcome,
) -> u32 {
    let _context = RUNTIME.enter();
    let mut cx = Context::from_waker(Waker::noop());
    let mut right = 0;
    for number in 0..calls {
        let mut future = pin!(call(black_box(u64::from(number))));
        let outcome = loop {
            if let Poll::Ready(outcome) = future.as_mut().poll(&mut cx) {
                break outcome;
            }
        };
        right += u32::from(expected(&outcome));
    }
    right
}

/// The call worked.
pub fn worked(outcome: &Outcome) -> bool {
    outcome.is_ok()
}

/// A breaker refused the call.
pub fn refused(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Err(Failure::Open { .. } | Failure::Rejected(Rejection::BreakerOpen { .. }))
    )
}

/// A limit refused the call.
pub fn no_room(outcome: &Outcome) -> bool {
    matches!(outcome, Err(Failure::Full))
}
