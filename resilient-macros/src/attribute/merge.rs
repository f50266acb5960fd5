//! The options of a method over those of its impl block.

use super::options::{Breaker, Fallback, HedgeAfter, HedgeOptions, Options, RetryOptions};
use crate::diagnostic::Slot;

impl Options {
    /// These options, and those of `outer` where nothing is said here.
    ///
    /// Options that exclude each other replace each other: what the method says of its idempotence
    /// or of what is retried stands alone.
    pub(crate) fn over(self, outer: &Options) -> Options {
        let own_idempotence =
            self.idempotent.is_given() || self.claim.is_given() || self.idempotency_key.is_given();
        let claim = allowed(!self.idempotent.is_given(), &outer.claim);
        let idempotence = allowed(!own_idempotence, &outer.idempotent);
        let idempotency_key = allowed(!own_idempotence, &outer.idempotency_key);
        let classify = allowed(self.when().is_none(), &outer.classify);
        let classifies = self.classify.is_given();
        let mut outer_retry = outer.retry.clone();
        if classifies {
            outer_retry.change(|retry| retry.when = Slot::default());
        }
        let mut merged = Options {
            dependency: self.dependency.or(&outer.dependency),
            retry: self
                .retry
                .or_merged(&outer_retry, |ours, theirs| Box::new(ours.over(theirs))),
            breaker: self.breaker.or_merged(&outer.breaker, Breaker::over),
            budget: self.budget.or(&outer.budget),
            bulkhead: self.bulkhead.or(&outer.bulkhead),
            rate_limit: self
                .rate_limit
                .or_merged(&outer.rate_limit, |ours, theirs| {
                    Box::new(ours.over(theirs))
                }),
            hedge: self
                .hedge
                .or_merged(&outer.hedge, |ours, theirs| Box::new(ours.over(theirs))),
            timeout: self.timeout.or(&outer.timeout),
            deadline: self.deadline.or(&outer.deadline),
            idempotency_key: self.idempotency_key.or(&idempotency_key),
            idempotent: self.idempotent.or(&idempotence),
            claim: self
                .claim
                .or_merged(&claim, |ours, theirs| Box::new(ours.over(theirs))),
            classify: self.classify.or(&classify),
            reject: self.reject.or(&outer.reject),
            fallback: self.fallback.or_merged(&outer.fallback, Fallback::over),
            // These two say something about one function.
            clone: self.clone,
            name: self.name,
            registry: self.registry.or(&outer.registry),
            krate: self.krate.or(&outer.krate),
        };
        // What the block says about retries is nothing to a method without.
        if !merged.runs_again() {
            merged.budget.disinherit();
            merged.idempotent.disinherit();
        }
        // Nor is a time to a method that calls nothing.
        if merged
            .fallback
            .get()
            .is_some_and(|fallback| !fallback.call.is_given())
        {
            merged.fallback.disinherit();
        }
        merged
    }
}

impl RetryOptions {
    fn over(self, outer: &RetryOptions) -> RetryOptions {
        // `retry = "name"` at the method asks for that dependency's numbers, all of them.
        let numbers = !self.of.is_given();
        RetryOptions {
            of: self.of.or(&outer.of),
            max: self.max.or(&allowed(numbers, &outer.max)),
            base: self.base.or(&allowed(numbers, &outer.base)),
            cap: self.cap.or(&allowed(numbers, &outer.cap)),
            factor: self.factor.or(&allowed(numbers, &outer.factor)),
            jitter: self.jitter.or(&allowed(numbers, &outer.jitter)),
            retry_after_cap: self
                .retry_after_cap
                .or(&allowed(numbers, &outer.retry_after_cap)),
            when: self.when.or(&outer.when),
            nested: self.nested.or(&outer.nested),
        }
    }
}

impl HedgeOptions {
    fn over(self, outer: &HedgeOptions) -> HedgeOptions {
        // A floor is nothing to a fixed time.
        let floor = !matches!(self.after.get(), Some(HedgeAfter::Time(_)));
        HedgeOptions {
            after: self.after.or(&outer.after),
            floor: self.floor.or(&allowed(floor, &outer.floor)),
            max: self.max.or(&outer.max),
        }
    }
}

impl Fallback {
    fn over(self, outer: &Fallback) -> Fallback {
        Fallback {
            call: self.call.or(&outer.call),
            timeout: self.timeout.or(&outer.timeout),
        }
    }
}

impl Breaker {
    fn over(self, outer: &Breaker) -> Breaker {
        Breaker {
            name: self.name.or(&outer.name),
            per: self.per.or(&outer.per),
            key: self.key.or(&outer.key),
        }
    }
}

/// `slot`, or nothing if it must not be inherited.
fn allowed<T: Clone>(inherits: bool, slot: &Slot<T>) -> Slot<T> {
    if inherits {
        slot.clone()
    } else {
        Slot::default()
    }
}
