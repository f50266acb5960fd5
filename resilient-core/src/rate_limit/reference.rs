//! How limits count, in plain numbers: every request is remembered, and time passes millisecond by
//! millisecond.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::config::{Algorithm, LimitSettings};
use super::plan::{Plan, Refused};
use crate::name::Name;
use crate::reference::play_all;

const MILLI: u64 = 1_000_000;

/// Something that windows of up to a hundred milliseconds do not begin at.
const START: u64 = 1_728_000_000_037;

/// One limit.
#[derive(Clone, Debug)]
struct Model {
    limit: LimitSettings,
    window: u64,
    /// What was let through, when, and the cost.
    taken: Vec<(u64, u64)>,
    /// Of a bucket: what it lacks, in the parts of [`Model::token`].
    lacks: u64,
    now: u64,
}

impl Model {
    fn new(limit: LimitSettings) -> Self {
        Model {
            window: u64::try_from(limit.window.as_millis()).expect("it is short"),
            limit,
            taken: Vec::new(),
            lacks: 0,
            now: START,
        }
    }

    /// What a token is in the parts that a bucket counts in, and how many of them come back in a
    /// millisecond: of a token bucket such that both are whole numbers, of GCRA nanoseconds.
    fn token(&self) -> (u64, u64) {
        let quota = u64::from(self.limit.quota);
        match self.limit.algorithm {
            Algorithm::TokenBucket => (self.window, quota),
            _ => ((self.window * MILLI).div_ceil(quota), MILLI),
        }
    }

    fn pass(&mut self, millis: u64) {
        self.now += millis;
        self.lacks = self.lacks.saturating_sub(self.token().1 * millis);
    }

    fn sum(&self, counts: impl Fn(u64) -> bool) -> u64 {
        let counted = self.taken.iter().filter(|(at, _)| counts(*at));
        counted.map(|(_, cost)| cost).sum()
    }

    /// What came in the window that began so many windows before the one of now.
    fn in_window(&self, before: u64) -> u64 {
        let index = self.now / self.window - before;
        self.sum(|at| at / self.window == index)
    }

    fn allows(&self, cost: u64) -> bool {
        let quota = u64::from(self.limit.quota);
        match self.limit.algorithm {
            Algorithm::Fixed => self.in_window(0) + cost <= quota,
            Algorithm::SlidingCounter => {
                let overlap = self.window - self.now % self.window;
                let weighed = self.in_window(1) * overlap + self.in_window(0) * self.window;
                weighed + cost * self.window <= quota * self.window
            }
            Algorithm::SlidingLog => self.sum(|at| self.now - at < self.window) + cost <= quota,
            Algorithm::TokenBucket | Algorithm::Gcra => {
                let token = self.token().0;
                self.lacks + cost * token <= u64::from(self.limit.burst) * token
            }
        }
    }

    fn take(&mut self, cost: u64) {
        self.taken.push((self.now, cost));
        self.lacks += cost * self.token().0;
    }

    /// Gives back the latest.
    fn refund(&mut self) {
        let Some((at, cost)) = self.taken.pop() else {
            return;
        };
        self.lacks = self.lacks.saturating_sub(cost * self.token().0);
        let counts = match self.limit.algorithm {
            Algorithm::SlidingCounter => at / self.window == self.now / self.window,
            // Counted or not, it makes no difference to the others.
            _ => true,
        };
        if !counts {
            self.taken.push((at, cost));
        }
    }

    fn remaining(&self) -> u64 {
        let capacity = u64::from(self.limit.capacity());
        let fits = (0..=capacity).rev().find(|cost| self.allows(*cost));
        fits.unwrap_or(0)
    }

    /// Waits until it fits.
    fn wait(&self, cost: u64) -> u64 {
        let mut later = self.clone();
        while !later.allows(cost) {
            later.pass(1);
        }
        later.now - self.now
    }
}

fn limits() -> impl Strategy<Value = LimitSettings> {
    let algorithm = prop_oneof![
        Just(Algorithm::Fixed),
        Just(Algorithm::SlidingCounter),
        Just(Algorithm::SlidingLog),
        Just(Algorithm::TokenBucket),
        Just(Algorithm::Gcra),
    ];
    (algorithm, 1..12_u32, 1..60_u64, 1..12_u32).prop_map(|(algorithm, quota, window, burst)| {
        let bucket = matches!(algorithm, Algorithm::TokenBucket | Algorithm::Gcra);
        LimitSettings {
            name: Name::new("l").expect("a name"),
            algorithm,
            quota,
            window: Duration::from_millis(window),
            burst: if bucket { burst } else { quota },
        }
    })
}

#[derive(Clone, Copy, Debug)]
enum Does {
    Take(u32),
    /// Gives back the latest that was taken.
    Refund,
    Look(u32),
}

fn scripts() -> impl Strategy<Value = Vec<(u64, Does)>> {
    let does = prop_oneof![
        6 => (1..5_u32).prop_map(Does::Take),
        1 => Just(Does::Refund),
        2 => (0..13_u32).prop_map(Does::Look),
    ];
    let waits = prop_oneof![3 => Just(0), 6 => 0..20_u64, 1 => 0..200_u64];
    vec((waits, does), 1..60)
}

/// Whole milliseconds, rounded up.
fn millis(nanos: u64) -> u64 {
    nanos.div_ceil(MILLI)
}

/// Cases R04 to R07, R10 and R11: any limits, one or several, do what the models do.
#[test]
fn r11_limits_say_what_the_models_say() {
    let all = prop_oneof![3 => vec(limits(), 1..2), 1 => vec(limits(), 2..4)];
    play_all((all, scripts()), |(mut limits, script)| {
        for (index, limit) in limits.iter_mut().enumerate() {
            limit.name = Name::new(&format!("l{index}")).expect("a name");
        }
        let plan = Plan::new(&limits);
        let mut state = plan.fresh();
        let mut models: Vec<_> = limits.into_iter().map(Model::new).collect();
        let mut decisions = Vec::new();
        for (wait, does) in script {
            for model in &mut models {
                model.pass(wait);
            }
            let now = models[0].now * MILLI;
            let (cost, take) = match does {
                Does::Take(cost) => (cost, true),
                Does::Look(cost) => (cost, false),
                Does::Refund => {
                    if let Some(decision) = decisions.pop() {
                        plan.refund(&mut state, &decision, now);
                        models.iter_mut().for_each(Model::refund);
                    }
                    (0, false)
                }
            };
            let outcome = if take {
                plan.admit(&mut state, cost, now)
            } else {
                plan.fits(&state, cost, now)
            };
            let never = models.iter().any(|model| cost > model.limit.capacity());
            if never {
                let refused = outcome.expect_err("it never fits");
                prop_assert_eq!(refused.wait, None);
                continue;
            }
            let waits: Vec<_> = models.iter().map(|m| m.wait(cost.into())).collect();
            let longest = waits.iter().copied().max().unwrap_or(0);
            match outcome {
                Ok(()) => prop_assert_eq!(longest, 0),
                Err(Refused { limit, wait }) => {
                    prop_assert_eq!(wait.map(millis), Some(longest));
                    prop_assert_eq!(waits[limit], longest);
                }
            }
            let decision = plan.decision(&state, outcome, cost, now);
            if take && outcome.is_ok() {
                for model in &mut models {
                    model.take(cost.into());
                }
                decisions.push(decision.clone());
            }
            for ((said, model), wait) in decision.limits().zip(&models).zip(waits) {
                prop_assert_eq!(u64::from(said.remaining), model.remaining());
                let reset = model.wait(model.limit.capacity().into());
                prop_assert_eq!(
                    said.reset_after.as_nanos().div_ceil(1_000_000),
                    reset.into()
                );
                let retry = said.retry_after.as_nanos().div_ceil(1_000_000);
                prop_assert_eq!(retry, if outcome.is_ok() { 0 } else { wait.into() });
            }
        }
        Ok(())
    });
}

/// Case R36: what is foretold to somebody who waits in a line is what happens to him.
#[test]
fn r36_a_line_moves_as_foretold() {
    let costs = vec(1..5_u32, 1..8);
    play_all((limits(), 1..5_u32, costs), |(limit, used, mut line)| {
        let capacity = limit.capacity();
        for cost in &mut line {
            *cost = (*cost).min(capacity);
        }
        let plan = Plan::new(std::slice::from_ref(&limit));
        let mut state = plan.fresh();
        let used = used.min(capacity);
        prop_assert_eq!(plan.admit(&mut state, used, START * MILLI), Ok(()));
        let (last, ahead) = line.split_last().expect("there is one");
        let foretold = plan.fits_behind(&state, ahead, *last, START * MILLI);
        let foretold = foretold.map_or_else(|refused| refused.wait.expect("it fits once"), |()| 0);
        // Without rounding, everybody in turn as soon as it fits him.
        let mut now = START * MILLI;
        for cost in line {
            if let Err(refused) = plan.fits(&state, cost, now) {
                now += refused.wait.expect("it fits once");
            }
            prop_assert_eq!(plan.admit(&mut state, cost, now), Ok(()));
        }
        prop_assert_eq!(now - START * MILLI, foretold);
        Ok(())
    });
}
