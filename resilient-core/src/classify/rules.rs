//! The rules of a dependency, at hand while its outcomes are classified.

use std::cell::RefCell;
use std::sync::Arc;

use super::io::IoKinds;
use super::status::StatusClasses;
use crate::invalid::InvalidSetting;

/// What statuses and io errors mean, for one dependency.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::{IoKinds, Rules, StatusClasses};
/// use std::io::ErrorKind;
///
/// let rules = Rules {
///     statuses: StatusClasses::new().transient([500]),
///     io_kinds: IoKinds::new().fault([ErrorKind::TimedOut]),
/// };
/// assert!(rules.validate().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What HTTP statuses mean.
    pub statuses: StatusClasses,
    /// What io errors mean.
    pub io_kinds: IoKinds,
}

static USUAL: Rules = Rules {
    statuses: StatusClasses::new(),
    io_kinds: IoKinds::new(),
};

thread_local! {
    static AMBIENT: RefCell<Option<Arc<Rules>>> = const { RefCell::new(None) };
}

impl Rules {
    /// Everything in the rules that cannot work.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::classify::{Rules, StatusClasses};
    ///
    /// let rules = Rules { statuses: StatusClasses::new().fault([42]), ..Rules::default() };
    /// assert_eq!(rules.validate().len(), 1);
    /// ```
    pub fn validate(&self) -> Vec<InvalidSetting> {
        self.statuses.validate()
    }
}

/// Runs `classify` with `rules` at hand for whatever classifies in it, on this thread.
///
/// What was at hand before is so again afterwards, after a panic too.
#[cfg(any(feature = "runtime", test))]
pub(crate) fn with_rules<R>(rules: &Arc<Rules>, classify: impl FnOnce() -> R) -> R {
    struct Restore(Option<Arc<Rules>>);

    impl Drop for Restore {
        fn drop(&mut self) {
            let before = self.0.take();
            // A thread that is ending has nothing left to restore.
            let _ = AMBIENT.try_with(|ambient| ambient.replace(before));
        }
    }

    // Nearly every dependency keeps the usual rules: no counter of the `Arc` to fight over.
    let at_hand = AMBIENT.try_with(|ambient| ambient.borrow().is_some());
    if **rules == USUAL && !at_hand.unwrap_or(false) {
        return classify();
    }
    let entered = Some(Arc::clone(rules));
    let before = AMBIENT.try_with(|ambient| ambient.replace(entered));
    let _restore = Restore(before.unwrap_or_default());
    classify()
}

/// Asks the rules at hand, the usual ones if there are none.
pub(super) fn ambient<R>(ask: impl Fn(&Rules) -> R) -> R {
    AMBIENT
        .try_with(|ambient| ambient.borrow().as_deref().map(&ask))
        .ok()
        .flatten()
        .unwrap_or_else(|| ask(&USUAL))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::class::{Class, Classify};
    use crate::classify::answer;

    fn transient_500() -> Arc<Rules> {
        Arc::new(Rules {
            statuses: StatusClasses::new().transient([500]),
            io_kinds: IoKinds::new().fault([io::ErrorKind::TimedOut]),
        })
    }

    fn of_500() -> Class {
        answer(500, None, None)
    }

    #[test]
    fn rules_hold_while_they_are_at_hand() {
        let timed_out = || io::Error::from(io::ErrorKind::TimedOut).class();
        assert_eq!((of_500(), timed_out()), (Class::Fault, Class::transient()));
        let inside = with_rules(&transient_500(), || (of_500(), timed_out()));
        assert_eq!(inside, (Class::transient(), Class::Fault));
        assert_eq!((of_500(), timed_out()), (Class::Fault, Class::transient()));
    }

    #[test]
    fn usual_rules_hide_those_of_an_outer_call() {
        let usual = Arc::new(Rules::default());
        with_rules(&transient_500(), || {
            assert_eq!(with_rules(&usual, of_500), Class::Fault);
            assert_eq!(of_500(), Class::transient());
        });
    }

    #[test]
    fn a_panic_puts_the_rules_back() {
        let rules = transient_500();
        let before = Arc::strong_count(&rules);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            with_rules(&rules, || panic!("a classifier went wrong"));
        }));
        assert!(panicked.is_err());
        assert_eq!(of_500(), Class::Fault);
        assert_eq!(Arc::strong_count(&rules), before);
    }

    #[test]
    fn another_thread_has_its_own() {
        with_rules(&transient_500(), || {
            let there = std::thread::spawn(of_500).join().expect("no panic");
            assert_eq!(there, Class::Fault);
        });
    }

    #[test]
    fn the_usual_rules_cost_no_counter() {
        let usual = Arc::new(Rules::default());
        with_rules(&usual, || assert_eq!(Arc::strong_count(&usual), 1));
    }
}
