//! Answers, retries and refunds on two threads, under every schedule: `RUSTFLAGS="--cfg loom"`.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;

use super::{Budget, BudgetHandle};
use crate::seam::clock;

fn budget(budget: &Budget) -> Arc<BudgetHandle> {
    let settings = budget.settings().expect("the numbers are good");
    Arc::new(BudgetHandle::with_shards(settings, 2))
}

/// Two retries ask for the last token: one of them gets it.
#[test]
fn g1_the_last_token_is_spent_once() {
    for kind in [Budget::tokens(1), Budget::ratio(0.0).floor(1)] {
        loom::model(move || {
            let budget = budget(&kind);
            let now = clock::now();
            let other = thread::spawn({
                let budget = budget.clone();
                move || budget.try_spend(now)
            });
            let here = budget.try_spend(now);
            assert_ne!(here, other.join().expect("no panic"));
            assert_eq!(budget.available(now), Some(0));
        });
    }
}

/// Whoever puts a token in before taking one out gets one, and nothing is left over.
#[test]
fn g1_what_a_success_puts_in_is_there() {
    loom::model(|| {
        let budget = budget(&Budget::tokens(2).refill_per_success(1.0));
        let now = clock::now();
        assert!(budget.try_spend(now) && budget.try_spend(now));
        let other = thread::spawn({
            let budget = budget.clone();
            move || {
                budget.answered();
                assert!(budget.try_spend(now));
            }
        });
        budget.answered();
        assert!(budget.try_spend(now));
        other.join().expect("no panic");
        assert_eq!(budget.available(now), Some(0));
    });
}

/// A token that is given back while others are spent and earned is there once, and a full bucket
/// stays as full as it is.
#[test]
fn g1_a_refund_is_there_once() {
    loom::model(|| {
        let budget = budget(&Budget::tokens(2).refill_per_success(1.0));
        let now = clock::now();
        assert!(budget.try_spend(now) && budget.try_spend(now));
        let other = thread::spawn({
            let budget = budget.clone();
            move || budget.refund(now)
        });
        budget.answered();
        let spent = budget.try_spend(now);
        other.join().expect("no panic");
        assert!(spent);
        assert_eq!(budget.available(now), Some(1));
    });
}

/// Answers that are tallied without the lock are counted once, whoever counts them in: every one
/// pays for a retry, and none for two.
#[test]
fn g1_an_answer_is_counted_once_whoever_counts_it_in() {
    loom::model(|| {
        let budget = budget(&Budget::ratio(1.0).window("1h").floor(0));
        let now = clock::now();
        let other = thread::spawn({
            let budget = budget.clone();
            move || {
                budget.answered();
                budget.tick(now);
            }
        });
        budget.answered();
        assert!(budget.try_spend(now), "its own answer pays for it");
        other.join().expect("no panic");
        assert_eq!(budget.available(now), Some(1));
    });
}

/// Time that has earned a token is paid for once, however many retries ask for it.
#[test]
fn g1_time_is_paid_for_once() {
    loom::model(|| {
        let budget = budget(&Budget::tokens(1).refill_every("1h"));
        let now = clock::now();
        assert!(budget.try_spend(now));
        let later = now.plus(Duration::from_secs(3_600));
        let other = thread::spawn({
            let budget = budget.clone();
            move || budget.try_spend(later)
        });
        let here = budget.try_spend(later);
        assert_ne!(here, other.join().expect("no panic"));
        assert_eq!(budget.available(later), Some(0));
    });
}

/// A retry that asks while the size of the bucket changes never finds more than there is.
#[test]
fn g1_a_bucket_that_shrinks_is_never_too_full() {
    loom::model(|| {
        let budget = budget(&Budget::tokens(2).refill_per_success(1.0));
        let now = clock::now();
        assert!(budget.try_spend(now));
        let other = thread::spawn({
            let budget = budget.clone();
            move || budget.answered()
        });
        let smaller = Budget::tokens(1).settings().expect("the numbers are good");
        budget.reconfigure(smaller);
        other.join().expect("no panic");
        assert!(budget.try_spend(now));
        assert!(!budget.try_spend(now));
    });
}
