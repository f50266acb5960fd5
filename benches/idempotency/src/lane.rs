//! One way to do something, again and again.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use resilient_benches::rounds::Timed;
use tokio::runtime::{Builder, Runtime};

use crate::AnyError;

/// One thread, the connections' tasks included, so that no time is spent in waking another one.
#[expect(
    clippy::expect_used,
    reason = "without a runtime there is nothing to measure"
)]
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
});

/// Does something where lanes run.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    RUNTIME.block_on(future)
}

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
