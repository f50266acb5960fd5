//! One way to do something, again and again, on one thread.

use std::time::{Duration, Instant};

use resilient_benches::one_thread::block_on;
use resilient_benches::rounds::Timed;

use crate::AnyError;

/// A named loop over a call.
pub(crate) struct Lane {
    name: &'static str,
    run: Box<dyn Fn(u32) + Send + Sync>,
}

impl Lane {
    /// A call that needs no waiting. What it answers says whether it came out as it should.
    pub(crate) fn at_once(
        name: &'static str,
        call: impl Fn(u32) -> bool + Send + Sync + 'static,
    ) -> Self {
        let run = move |calls| {
            let right = (0..calls).filter(|number| call(*number)).count();
            assert_eq!(right, calls as usize, "{name}: some calls came out wrong");
        };
        Lane {
            name,
            run: Box::new(run),
        }
    }

    /// A call that waits for an answer.
    #[expect(clippy::panic, reason = "a call that fails must not be measured")]
    pub(crate) fn awaited(
        name: &'static str,
        call: impl AsyncFn(u32) -> Result<(), AnyError> + Send + Sync + 'static,
    ) -> Self {
        let run = move |calls| {
            block_on(async {
                for number in 0..calls {
                    if let Err(error) = call(number).await {
                        panic!("{name}: {error}");
                    }
                }
            });
        };
        Lane {
            name,
            run: Box::new(run),
        }
    }

    pub(crate) fn run(&self, calls: u32) {
        (self.run)(calls);
    }
}

impl Timed for Lane {
    const FEWEST: u32 = 1;

    fn name(&self) -> &'static str {
        self.name
    }

    /// By the clock on the wall: what the server does meanwhile counts.
    fn time(&self, calls: u32) -> Duration {
        let start = Instant::now();
        self.run(calls);
        start.elapsed()
    }
}
