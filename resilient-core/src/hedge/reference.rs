//! A quantile by counting.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::Latencies;
use crate::reference::play_all;

/// The shortest of the last 128 that this share of them did not exceed, from the twentieth on.
#[allow(clippy::cast_precision_loss)]
fn quantile(all: &[Duration], quantile: f64) -> Option<Duration> {
    let last = &all[all.len().saturating_sub(128)..];
    let is_enough = |candidate: &&Duration| {
        let within = last.iter().filter(|latency| latency <= candidate).count();
        within as f64 >= quantile * last.len() as f64
    };
    (last.len() >= 20)
        .then(|| last.iter().filter(is_enough).min().copied())
        .flatten()
}

#[test]
fn h1_a_quantile_is_what_counting_finds() {
    let latency = prop_oneof![0..20_u64, 0..10_000_000_000_u64, Just(u64::MAX)];
    let asked = prop_oneof![Just(0.5), Just(0.95), Just(0.99), 1e-9..1.0_f64];
    play_all(vec((latency, asked), 1..300), |script| {
        let engine = Latencies::new();
        let mut all = Vec::new();
        for (latency, asked) in script {
            let latency = Duration::from_nanos(latency);
            engine.add(latency);
            all.push(latency);
            prop_assert_eq!(engine.quantile(asked), quantile(&all, asked));
        }
        Ok(())
    });
}
