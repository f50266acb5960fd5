//! The breaker as the contract tells it, without a thought for speed: every outcome is remembered,
//! every question is answered by looking through all of them.

mod model;
mod scripts;
mod share;

use std::cell::Cell;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use self::model::{Model, Told};
use self::scripts::{Does, Kind, Script, scripts, windows_of_any_kind, windows_of_attempts};
use super::engine::Engine;
use super::forced::ForcedKind;
use super::ticket::{Ticket, Verdict};
use super::{BreakerHandle, Transition};
use crate::name::Name;
use crate::reference::play_all;
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::random::Random;
use crate::seam::sync::{Arc, Lock};

/// A call that was admitted by both.
#[derive(Clone, Copy)]
struct Admitted {
    engine: Ticket,
    model: model::Pass,
}

fn forced(kind: Kind, now: Moment) -> ForcedKind {
    match kind {
        Kind::Open => ForcedKind::Open,
        Kind::Closed => ForcedKind::Closed,
        Kind::Disabled => ForcedKind::Disabled,
        Kind::Observing => ForcedKind::observing(now),
    }
}

#[test]
fn b1_to_b6_the_engine_does_what_the_model_does() {
    play_all(scripts(windows_of_any_kind()), play_engine);
}

fn play_engine(script: Script) -> Result<(), TestCaseError> {
    let mut millis = 1_000_000;
    let mut latest = Moment::at_millis(millis);
    let mut engine = Engine::new(script.settings.clone(), latest);
    let mut model = Model::new(script.settings, latest);
    let mut calls: Vec<Admitted> = Vec::new();
    for step in script.steps {
        millis += step.wait;
        // A thread may have read its clock before another one that comes first.
        let now = Moment::at_millis(millis - step.late);
        latest = latest.max(now);
        let chance = || step.unit;
        // What the handle does before everything else.
        engine.date(0, now);
        model.dated(0, now);
        match step.does {
            Does::Call(verdict) => {
                if let Some(call) = start(&mut engine, &mut model, now, None)? {
                    record(&mut engine, call.engine, verdict, now, chance)?;
                    model.record(call.model, verdict, now, chance);
                }
            }
            Does::Start(timeout) => {
                calls.extend(start(&mut engine, &mut model, now, timeout)?);
            }
            Does::End(which, verdict) => {
                if let Some(call) = pick(&mut calls, which) {
                    record(&mut engine, call.engine, verdict, now, chance)?;
                    model.record(call.model, verdict, now, chance);
                }
            }
            Does::Renew(which, timeout) => {
                if let Some(call) = calls.get(which).filter(|call| call.engine.is_probe()) {
                    let renewed = engine.renew(call.engine, now, timeout);
                    prop_assert_eq!(renewed, model.renew(call.model, now, timeout));
                }
            }
            Does::Tally(successes) => {
                let word = engine.view().word;
                if word.counts_success() && !word.heeds_success() {
                    engine.date(successes, now);
                    model.dated(successes, now);
                }
            }
            Does::Look => {
                engine.tick(now);
                model.look(now);
            }
            Does::Force(kind, lasts) => {
                engine.force(forced(kind, latest), lasts, None, now);
                model.force(kind, lasts, now);
            }
            Does::Lift => {
                engine.lift(None, now);
                model.lift(now);
            }
            Does::Reset => {
                engine.reset(None, now);
                model.reset(now);
            }
            Does::Reconfigure(settings) => {
                engine.reconfigure((*settings).clone(), now);
                model.reconfigure(*settings, now);
            }
        }
        let view = engine.view();
        prop_assert_eq!(view.word.state(), model.state());
        prop_assert_eq!(view.word.would_refuse(), model.would_refuse());
        let counts = engine.counts(now);
        prop_assert_eq!(
            (counts.failures, counts.slow, counts.attempts),
            model.counts(now)
        );
        let told: Vec<_> = std::iter::from_fn(|| engine.next_change())
            .map(|change| Told {
                from: change.from,
                to: change.to,
                rule: change.rule,
                failures: change.failures,
                attempts: change.attempts,
                lasts: change.lasts,
            })
            .collect();
        prop_assert_eq!(told, model.told());
        if !view.word.heeds_success() {
            no_success_matters(&model, latest)?;
        }
    }
    Ok(())
}

/// The handle does not even lock for a success then.
fn no_success_matters(model: &Model, now: Moment) -> Result<(), TestCaseError> {
    if !model.is_counting() {
        return Ok(());
    }
    for count in [1, 2, 7] {
        for wait in [0, 50, 300, 2_000] {
            let mut model = model.clone();
            let run = model.run();
            for _ in 0..count {
                let now = now.plus(Duration::from_millis(wait));
                model.recorded(false, false, now, || 0.5);
            }
            prop_assert!(model.told().is_empty(), "{} after {} ms", count, wait);
            prop_assert_eq!(run, 0, "a success ends this run");
        }
    }
    Ok(())
}

fn start(
    engine: &mut Engine,
    model: &mut Model,
    now: Moment,
    timeout: Option<Duration>,
) -> Result<Option<Admitted>, TestCaseError> {
    let admitted = engine.admit(now, timeout);
    match (admitted, model.admit(now, timeout)) {
        (Ok(engine), Ok(model)) => {
            prop_assert_eq!(engine.is_probe(), model.probe.is_some());
            Ok(Some(Admitted { engine, model }))
        }
        (Err(engine), Err(model)) => {
            prop_assert_eq!((engine.state, engine.retry_in), (model.0, nanos(model.1)));
            Ok(None)
        }
        (engine, model) => Err(TestCaseError::fail(format!("{engine:?}, but {model:?}"))),
    }
}

/// What the handle does: a failure that merely counts shows nowhere else.
fn record(
    engine: &mut Engine,
    ticket: Ticket,
    verdict: Verdict,
    now: Moment,
    chance: impl Fn() -> f64,
) -> Result<(), TestCaseError> {
    let before = engine.view();
    if engine.merely_counts(ticket, verdict, now) {
        prop_assert_eq!(engine.view(), before);
        prop_assert!(!engine.has_changes());
    } else {
        engine.record(ticket, verdict, now, chance);
    }
    Ok(())
}

fn pick(calls: &mut Vec<Admitted>, which: usize) -> Option<Admitted> {
    (which < calls.len()).then(|| calls.swap_remove(which))
}

/// The same with words, tally and lock between, and tokio's clock: what the handle does not tell its
/// engine must not have mattered. Windows of time are left to the engine, because there a success
/// counts by the next reading of a clock and not by its own.
#[test]
fn b1_to_b6_the_handle_does_what_the_model_does() {
    play_all(scripts(windows_of_attempts()), |script| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(play_handle(script))
    });
}

#[allow(clippy::too_many_lines, reason = "one match of all that can happen")]
async fn play_handle(script: Script) -> Result<(), TestCaseError> {
    let heard = Arc::new(Lock::<Vec<Told>>::default());
    let ear = heard.clone();
    let handle = BreakerHandle::new(
        Name::new("payment").expect("the name is good"),
        script.settings.clone(),
        Random::seeded(1),
        Arc::new(move |change: &Transition| {
            ear.lock().push(Told {
                from: change.from,
                to: change.to,
                rule: change.rule,
                failures: change.failures,
                attempts: change.attempts,
                lasts: change.lasts,
            });
        }),
    );
    let dice = Random::seeded(1);
    let chance = || dice.unit();
    let mut model = Model::new(script.settings, clock::now());
    let mut calls: Vec<Admitted> = Vec::new();
    let would_have_refused = Cell::new(0);
    for step in script.steps {
        tokio::time::advance(Duration::from_millis(step.wait)).await;
        let now = clock::now();
        handle.tick(now);
        model.look(now);
        let admit = |model: &mut Model, timeout| {
            if model.would_refuse() {
                would_have_refused.set(would_have_refused.get() + 1);
            }
            match (handle.admit(timeout), model.admit(now, timeout)) {
                (Ok(engine), Ok(model)) => Ok(Some(Admitted { engine, model })),
                (Err(engine), Err(model)) => {
                    prop_assert_eq!((engine.state, engine.retry_in), (model.0, nanos(model.1)));
                    Ok(None)
                }
                (engine, model) => Err(TestCaseError::fail(format!("{engine:?}, but {model:?}"))),
            }
        };
        match step.does {
            Does::Call(verdict) => {
                if let Some(call) = admit(&mut model, None)? {
                    handle.record(call.engine, verdict);
                    model.record(call.model, verdict, now, chance);
                }
            }
            Does::Start(timeout) => calls.extend(admit(&mut model, timeout)?),
            Does::End(which, verdict) => {
                if let Some(call) = pick(&mut calls, which) {
                    handle.record_at(call.engine, verdict, now);
                    model.record(call.model, verdict, now, chance);
                }
            }
            Does::Renew(which, timeout) => {
                if let Some(call) = calls.get(which).filter(|call| call.engine.is_probe()) {
                    let renewed = handle.may_start(call.engine, timeout);
                    prop_assert_eq!(renewed, model.renew(call.model, now, timeout));
                }
            }
            Does::Tally(successes) => {
                // As many calls at once.
                for _ in 0..successes {
                    if let Some(call) = admit(&mut model, None)? {
                        handle.record(call.engine, Verdict::Success);
                        model.record(call.model, Verdict::Success, now, chance);
                    }
                }
            }
            Does::Look => {}
            Does::Force(kind, lasts) => {
                match kind {
                    Kind::Open => handle.force_open(lasts, None),
                    Kind::Closed => handle.force_closed(lasts, None),
                    Kind::Disabled => handle.disable(lasts, None),
                    Kind::Observing => handle.observe(lasts, None),
                }
                model.force(kind, lasts, now);
            }
            Does::Lift => {
                handle.lift(None);
                model.lift(now);
            }
            Does::Reset => {
                handle.reset(None);
                model.reset(now);
            }
            Does::Reconfigure(settings) => {
                handle.reconfigure((*settings).clone());
                model.reconfigure(*settings, now);
            }
        }
        let state = handle.state();
        model.look(now);
        prop_assert_eq!(state, model.state());
        prop_assert_eq!(std::mem::take(&mut *heard.lock()), model.told());
        // Looking makes the handle count in what it has tallied, so not after every step.
        if step.unit < 0.2 {
            let found = handle.snapshot(now);
            prop_assert_eq!(
                (found.failures, found.slow, found.attempts),
                model.counts(now)
            );
            prop_assert_eq!(found.would_have_refused, would_have_refused.get());
        }
    }
    Ok(())
}
