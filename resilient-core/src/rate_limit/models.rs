//! The bucket in one word, and a shard behind its lock, under every schedule:
//! `RUSTFLAGS="--cfg loom"`.

use loom::sync::Arc;
use loom::thread;

use super::direct::Direct;
use super::engine::{Charge, Gcra};

const NOW: u64 = 1_728_000_000 * 1_000_000_000;
const SECOND: u64 = 1_000_000_000;

fn gcra(burst: u32) -> Gcra {
    Gcra::new(1, SECOND, burst)
}

/// Case R03: of two who want what is there for one, one gets it.
#[test]
fn r03_two_do_not_get_the_same() {
    loom::model(|| {
        let direct = Arc::new(Direct::new(Some(gcra(3))));
        let take = |direct: &Direct| direct.take(gcra(3), 2, NOW);
        let other = thread::spawn({
            let direct = direct.clone();
            move || take(&direct)
        });
        let outcomes = [take(&direct), other.join().expect("no panic")];
        assert_eq!(outcomes.iter().filter(|taken| taken.is_ok()).count(), 1);
        assert!(outcomes.contains(&Ok(NOW + 2 * SECOND)));
        assert!(outcomes.contains(&Err(SECOND)));
        assert_eq!(direct.full_at(), NOW + 2 * SECOND);
    });
}

/// What one gives back and another takes at the same time are both counted.
#[test]
fn r03_nothing_is_lost_between_a_refund_and_a_taking() {
    loom::model(|| {
        let direct = Arc::new(Direct::new(Some(gcra(3))));
        let until = direct.take(gcra(3), 1, NOW).expect("it fits");
        let other = thread::spawn({
            let direct = direct.clone();
            move || direct.take(gcra(3), 1, NOW).is_ok()
        });
        let charge = Charge {
            cost: 1,
            at: NOW,
            until,
        };
        direct.refund(gcra(3), charge, NOW);
        assert!(other.join().expect("no panic"));
        assert_eq!(direct.full_at(), NOW + SECOND);
    });
}

/// Case R37: while the numbers change, a taking counts under those of before or those of after.
#[test]
fn r37_numbers_that_change_lose_no_taking() {
    loom::model(|| {
        let direct = Arc::new(Direct::new(Some(gcra(3))));
        direct.take(gcra(3), 1, NOW).expect("it fits");
        let other = thread::spawn({
            let direct = direct.clone();
            move || {
                let gcra = direct.gcra().expect("it is used");
                direct.take(gcra, 1, NOW).is_ok()
            }
        });
        direct.reconfigure(Some(gcra(2)), NOW);
        assert!(other.join().expect("no panic"));
        assert_eq!(gcra(2).used_at(direct.full_at(), NOW), 2);
    });
}
