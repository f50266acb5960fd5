//! Where calls that wait for servers are measured.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};

/// The connections' tasks included, so that no time is spent in waking another thread.
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

/// Does something on the one thread of all lanes.
pub fn block_on<F: Future>(future: F) -> F::Output {
    RUNTIME.block_on(future)
}
