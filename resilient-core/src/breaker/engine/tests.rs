//! Scripts of what happens to a breaker, played on the engine alone.

mod closed;
mod forced;
mod half_open;
mod open;
mod reconfigured;
mod slow;
mod view;

use std::collections::HashMap;

use super::*;
use crate::breaker::{Breaker, BreakerState};

use BreakerState::{Closed, Disabled, ForcedClosed, ForcedOpen, HalfOpen, Observing, Open};
use Do::{
    Drop, End, Fail, Force, Lift, Neutral, Ok, Panic, Reconfigure, Refused, RefusedForGood, Renew,
    Reset, SlowFail, SlowOk, Start, StartWithin, Tally, Wait,
};

/// One thing that happens to a breaker.
enum Do {
    /// A call that is admitted and succeeds at once; `Fail` and so on likewise.
    Ok,
    Fail,
    /// The same, and too slow.
    SlowOk,
    SlowFail,
    Neutral,
    Panic,
    /// A call that is admitted and goes on.
    Start(&'static str),
    /// The same with an attempt timeout in milliseconds.
    StartWithin(&'static str, u64),
    /// A probe that stood in a queue with an attempt timeout in milliseconds: whether it may run.
    Renew(&'static str, u64, bool),
    /// The end of a call that was started.
    End(&'static str, Verdict),
    /// A call that was started is never heard of again.
    Drop(&'static str),
    /// A call that is refused and told to come back in so many milliseconds.
    Refused(u64),
    /// A call that is refused and not told when to come back.
    RefusedForGood,
    /// Successes nobody dated.
    Tally(u64),
    /// Only the time is told.
    Wait,
    /// For milliseconds, or until lifted.
    Force(ForcedKind, Option<u64>),
    Lift,
    Reset,
    Reconfigure(Box<Breaker>),
}

/// At (ms), what happens, and the state after it.
type Step = (u64, Do, BreakerState);
/// From, to, why.
type Told = (BreakerState, BreakerState, Rule);

/// Plays a script; jitter draws the middle, so that open times are exact.
fn play(breaker: &Breaker, steps: Vec<Step>, told: &[Told]) -> Engine {
    let settings = breaker.settings().expect("valid settings");
    let mut engine = Engine::new(settings, Moment::at_millis(0));
    let mut started = HashMap::new();
    let middle = || 0.5;
    for (number, (at, step, state)) in steps.into_iter().enumerate() {
        let now = Moment::at_millis(at);
        let call = |engine: &mut Engine, verdict| {
            let ticket = engine.admit(now, None);
            let ticket = ticket.unwrap_or_else(|refusal| panic!("step {number}: {refusal:?}"));
            engine.record(ticket, verdict, now, middle);
        };
        let mut start = |engine: &mut Engine, name, timeout: Option<u64>| {
            let ticket = engine.admit(now, timeout.map(Duration::from_millis));
            let ticket = ticket.unwrap_or_else(|refusal| panic!("step {number}: {refusal:?}"));
            started.insert(name, ticket);
        };
        match step {
            Ok => call(&mut engine, Verdict::Success),
            Fail => call(&mut engine, Verdict::Failure),
            SlowOk => call(&mut engine, Verdict::SlowSuccess),
            SlowFail => call(&mut engine, Verdict::SlowFailure),
            Neutral => call(&mut engine, Verdict::Neutral),
            Panic => call(&mut engine, Verdict::Panicked),
            Start(name) => start(&mut engine, name, None),
            StartWithin(name, timeout) => start(&mut engine, name, Some(timeout)),
            Renew(name, timeout, may_run) => {
                let timeout = Some(Duration::from_millis(timeout));
                let renewed = engine.renew(started[name], now, timeout);
                assert_eq!(renewed, may_run, "step {number}");
            }
            End(name, verdict) => engine.record(started[name], verdict, now, middle),
            Drop(name) => drop(started.remove(name)),
            Refused(millis) => {
                let retry_in = millis * 1_000_000;
                let refusal = Refusal { state, retry_in };
                assert_eq!(engine.admit(now, None), Err(refusal), "step {number}");
            }
            RefusedForGood => {
                let retry_in = u64::MAX;
                let refusal = Refusal { state, retry_in };
                assert_eq!(engine.admit(now, None), Err(refusal), "step {number}");
            }
            Tally(successes) => {
                engine.date(successes, now);
            }
            Wait => drop(engine.tick(now)),
            Force(kind, lasts) => {
                engine.force(kind, lasts.map(Duration::from_millis), None, now);
            }
            Lift => engine.lift(None, now),
            Reset => engine.reset(None, now),
            Reconfigure(breaker) => {
                engine.reconfigure(breaker.settings().expect("valid settings"), now);
            }
        }
        assert_eq!(engine.state(), state, "step {number}");
    }
    let changes: Vec<_> = std::iter::from_fn(|| engine.next_change()).collect();
    let heard: Vec<Told> = changes.iter().map(|c| (c.from, c.to, c.rule)).collect();
    assert_eq!(heard, told);
    assert!(changes.is_sorted_by(|a, b| a.generation < b.generation));
    engine
}

fn repeat(times: usize, step: impl Fn() -> Step) -> Vec<Step> {
    std::iter::repeat_with(step).take(times).collect()
}

fn script(parts: impl IntoIterator<Item = Vec<Step>>) -> Vec<Step> {
    parts.into_iter().flatten().collect()
}

const S: Verdict = Verdict::Success;
const F: Verdict = Verdict::Failure;

/// Opens on the first failure, for a second, with one probe.
fn brittle() -> Breaker {
    Breaker::consecutive(1)
        .open_for("1s")
        .probes(1)
        .close_after(1)
}

const TRIPS: Told = (Closed, Open, Rule::Consecutive);
const PROBES: Told = (Open, HalfOpen, Rule::OpenElapsed);
const REOPENS: Told = (HalfOpen, Open, Rule::ProbeFailed);
const CLOSES: Told = (HalfOpen, Closed, Rule::ProbesSucceeded);
