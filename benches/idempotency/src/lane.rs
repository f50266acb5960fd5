//! One way to do something, again and again.

use std::time::{Duration, Instant};

use resilient_benches::one_thread::block_on;
use resilient_benches::rounds::Timed;

use crate::AnyError;

/// A named loop over a call.
pub(crate) struct Lane {
    name: &'static str,
    batch: Box<dyn Fn(u32) -> Result<(), AnyError>>,
}

impl Lane {
    pub(crate) fn new(
        name: &'static str,
        call: impl AsyncFn() -> Result<(), AnyError> + 'static,
    ) -> Self {
        let batch = move |calls| {
            block_on(async {
                for _ in 0..calls {
                    call().await?;
                }
                Ok(())
            })
        };
        Lane {
            name,
            batch: Box::new(batch),
        }
    }
}

impl Timed for Lane {
    const FEWEST: u32 = 1;

    fn name(&self) -> &'static str {
        self.name
    }

    /// By the clock on the wall: what servers and disks do meanwhile counts.
    #[expect(clippy::panic, reason = "a call that fails must not be measured")]
    fn time(&self, calls: u32) -> Duration {
        let start = Instant::now();
        if let Err(error) = (self.batch)(calls) {
            panic!("{}: {error}", self.name);
        }
        start.elapsed()
    }
}
