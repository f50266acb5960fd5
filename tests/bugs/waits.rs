//! Groups D and E: waits that overflow, and jitter out of bounds. Their arithmetic is tested draw by
//! draw beside it; here it is seen from outside.

use std::time::Duration;

use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, RegisterError, Registry};

use crate::script::Step::F;
use crate::script::row::{at_once, bare};
use crate::script::{Script, registered};

const SPREADS: [Jitter; 4] = [
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
    Jitter::Proportional,
];

/// The waits of one call that fails to the end, in milliseconds.
async fn waits(retry: Retry) -> Vec<u64> {
    let max = retry.settings().expect("it works").max as usize;
    let policy = registered(bare(Dependency::named("dep")).retry(retry), "dep").1;
    let script = Script::new(&vec![F; max]);
    let _ = policy.call(|| script.attempt()).await;
    let starts = script.starts();
    starts.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

// case D01, D03, D04
#[tokio::test(start_paused = true)]
async fn a_thousand_attempts_never_wait_longer_than_the_cap() {
    for jitter in SPREADS.into_iter().chain([Jitter::None]) {
        for factor in [2.0, 10.0, 1_000.0] {
            let retry = Retry::max(1_100).base("1s").cap("10s");
            let waits = waits(retry.jitter(jitter).factor(factor)).await;
            assert_eq!(waits.len(), 1_099, "{jitter} {factor}");
            assert!(
                waits.iter().all(|wait| *wait <= 10_000),
                "{jitter} {factor}"
            );
            if jitter == Jitter::None {
                assert!(waits[4..].iter().all(|wait| *wait == 10_000), "{factor}");
            }
        }
    }
}

// case D03
/// Beyond any number there is an end of time, and nothing panics on the way.
#[tokio::test(start_paused = true)]
async fn waits_without_a_cap_do_not_shrink() {
    for base in ["1s", "1h"] {
        let retry = Retry::max(20)
            .base(base)
            .cap(Duration::MAX)
            .jitter(Jitter::None);
        let waits = waits(retry).await;
        assert_eq!(waits.len(), 19);
        assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    }
}

// case D04
#[test]
fn factors_that_cannot_work_are_refused() {
    for factor in [f64::NAN, f64::INFINITY, 0.0, 0.5, -2.0, 1e308] {
        let dependency = Dependency::named("dep").retry(at_once(3).factor(factor));
        let refused = Registry::new().register(dependency);
        assert!(
            matches!(&refused, Err(RegisterError::Invalid { problems, .. }) if problems[0].setting == "factor"),
            "{factor}: {refused:?}"
        );
    }
}

// case D08
#[tokio::test(start_paused = true)]
async fn nothing_to_draw_from_is_no_panic() {
    for jitter in SPREADS {
        for (base, cap) in [(0, 5_000_000_000), (1, 1), (1, 100_000_000), (0, 0)] {
            let retry = Retry::max(20)
                .base(Duration::from_nanos(base))
                .cap(Duration::from_nanos(cap))
                .jitter(jitter);
            let waits = waits(retry).await;
            assert_eq!(waits.len(), 19, "{jitter}");
            // A timer rounds up to a millisecond.
            assert!(
                waits.iter().all(|wait| *wait <= cap / 1_000_000 + 1),
                "{jitter}"
            );
        }
    }
}

// case E01
#[tokio::test(start_paused = true)]
async fn waits_at_the_cap_are_below_it_and_spread() {
    for jitter in SPREADS {
        let retry = Retry::max(2_000).base("100ms").cap("500ms").jitter(jitter);
        let mut at_the_cap = waits(retry).await.split_off(10);
        assert!(at_the_cap.iter().all(|wait| *wait <= 501), "{jitter}");
        at_the_cap.sort_unstable();
        at_the_cap.dedup();
        // A tenth of the cap is 50 whole milliseconds.
        let least = if jitter == Jitter::Proportional {
            40
        } else {
            100
        };
        assert!(at_the_cap.len() >= least, "{jitter}: {}", at_the_cap.len());
    }
}

// case E04
#[tokio::test(start_paused = true)]
async fn the_default_jitter_is_not_above_a_tiny_delay() {
    let waits = waits(Retry::max(100).base("1ms").factor(1.0)).await;
    assert!(waits.iter().all(|wait| *wait <= 2), "{waits:?}");
}
