//! One way to make a call, again and again.

use std::hint::black_box;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use resilient::Rejection;
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;

use crate::failure::{Failure, Outcome};

/// The runtime of all lanes; timers need one.
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

/// A named loop over a call.
pub(crate) struct Lane {
    name: &'static str,
    batch: Box<dyn Fn(u32) -> u32 + Send + Sync>,
}

/// Who polls the calls of a lane.
#[derive(Clone, Copy)]
pub(crate) enum Driver {
    /// A task of the runtime.
    Task,
    /// A loop inside the runtime's context, with a waker that does nothing: what is left when the
    /// scheduler's part is taken away.
    Hand,
}

impl Lane {
    /// A lane that makes `call` and checks that it comes out as `expected`.
    pub(crate) fn new(
        driver: Driver,
        name: &'static str,
        expected: fn(&Outcome) -> bool,
        call: impl AsyncFn(u64) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let batch: Box<dyn Fn(u32) -> u32 + Send + Sync> = match driver {
            Driver::Task => Box::new(move |calls| in_task(calls, expected, &call)),
            Driver::Hand => Box::new(move |calls| by_hand(calls, expected, &call)),
        };
        Lane { name, batch }
    }

    /// What the table calls it.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Makes so many calls. Every one must come out as expected.
    pub(crate) fn run(&self, calls: u32) {
        let right = (self.batch)(calls);
        assert_eq!(right, calls, "{}: some calls came out wrong", self.name);
    }
}

fn in_task(calls: u32, expected: fn(&Outcome) -> bool, call: &impl AsyncFn(u64) -> Outcome) -> u32 {
    // Tokio's cooperation would make a task yield now and then.
    RUNTIME.block_on(unconstrained(async {
        let mut right = 0;
        for number in 0..calls {
            let outcome = call(black_box(u64::from(number))).await;
            right += u32::from(expected(&outcome));
        }
        right
    }))
}

fn by_hand(calls: u32, expected: fn(&Outcome) -> bool, call: &impl AsyncFn(u64) -> Outcome) -> u32 {
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
pub(crate) fn worked(outcome: &Outcome) -> bool {
    outcome.is_ok()
}

/// A breaker refused the call.
pub(crate) fn refused(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Err(Failure::Open { .. } | Failure::Rejected(Rejection::BreakerOpen { .. }))
    )
}
