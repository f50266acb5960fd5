//! How an engine is held against its reference model: both play the same random scripts.
//!
//! A model is in `reference.rs` beside its engine: simple, slow, and written from the contract and
//! not from the engine. Scripts are the same in every run, unless `PROPTEST_CASES` asks for more of
//! them or `PROPTEST_RNG_SEED` for others: `scripts/reference` does both.

use std::env;
use std::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

const SCRIPTS: u32 = 256;
const SEED: u64 = 0x7265_7369_6c69_656e;

/// Plays random scripts; on a difference, panics with the shortest script found that shows it.
pub(crate) fn play_all<S>(scripts: S, play: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S: Strategy,
    S::Value: Debug,
{
    // Reads the environment.
    let mut config = Config::default();
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = SCRIPTS;
    }
    if env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config.failure_persistence = None;
    if env::var_os("PROPTEST_MAX_SHRINK_ITERS").is_none() {
        config.max_shrink_iters = 20_000;
    }
    if let Err(difference) = TestRunner::new(config).run(&scripts, play) {
        panic!("{difference}");
    }
}
