//! Plays a row on a breaker in front of a scripted dependency, by whole calls of one attempt.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilient::breaker::{Breaker, BreakerControl, BreakerState, Rule, Transition};
use resilient::retry::Retry;
use resilient::{Dependency, Policy, Rejection};
use tokio::time::{Instant, advance};

use crate::script::{Answer, Failure, Script, Step, poll_once, registered};

/// One thing that happens, or that must hold.
pub(crate) enum Do {
    /// A call that is admitted.
    Call(Step),
    /// A call that is refused.
    Rej,
    /// The same, and told to come back in so many milliseconds, from the first to the second.
    RejWithin(u64, u64),
    /// The same, and told why, but not when to come back.
    RejBecause(&'static str),
    /// A call that is admitted and goes on.
    Start(&'static str, Step),
    /// Its end.
    Finish(&'static str),
    /// It is dropped on the way.
    Drop(&'static str),
    /// Milliseconds since the row began.
    At(u64),
    /// Milliseconds from now on.
    Wait(u64),
    ForceOpen(&'static str),
    /// For milliseconds.
    ForceOpenFor(u64),
    ForceClosed,
    Lift,
    Reset,
    Times(usize, &'static [Do]),
    /// The state is this one.
    Is(BreakerState),
    /// So many failures of so many attempts count.
    Counts(u64, u64),
    /// So many slow ones of so many attempts count.
    Slow(u64, u64),
    /// These changes have been told, and no others.
    Heard(&'static [Rule]),
    /// The last change was told with so many failures, or slow ones, of so many attempts.
    Opened(u64, u64),
    /// So many bodies have run.
    Ran(usize),
    /// So many calls ran that would have been refused.
    WouldHaveRefused(u64),
}

pub(crate) const S: Do = Do::Call(Step::S);
pub(crate) const F: Do = Do::Call(Step::F);
/// An answer that is an error.
pub(crate) const P: Do = Do::Call(Step::Permanent);
pub(crate) const I: Do = Do::Call(Step::Ignored);

pub(crate) struct Row {
    pub(crate) id: &'static str,
    /// Why our outcome is not the peer's; empty if it is.
    pub(crate) differs: &'static str,
    pub(crate) breaker: fn() -> Breaker,
    pub(crate) steps: &'static [Do],
}

/// A share of the last `size` attempts, once there are so many.
pub(crate) fn last(size: u32, share: f64) -> Breaker {
    Breaker::failure_rate(share)
        .count_window(size)
        .min_attempts(size)
}

/// Opens on the first failure for a second, and lets one probe at a time through.
pub(crate) fn brittle() -> Breaker {
    Breaker::consecutive(1)
        .open_for("1s")
        .probes(1)
        .close_after(1)
}

/// Counts in a window and never opens.
pub(crate) fn counting(window: &'static str) -> Breaker {
    Breaker::failure_rate(1.0)
        .min_attempts(u32::MAX)
        .window(window)
}

/// Plays every row on a breaker of its own; all mismatches are reported together.
pub(crate) async fn play(rows: &[Row]) {
    let mut wrong = Vec::new();
    for row in rows {
        let mut scene = Scene::new((row.breaker)());
        let mut steps = Vec::new();
        flatten(row.steps, &mut steps);
        for (number, step) in steps.into_iter().enumerate() {
            if let Err(told) = scene.play(step).await {
                let Row { id, differs, .. } = row;
                wrong.push(format!("{id}, step {number}: {told} ({differs})"));
                break;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

fn flatten(steps: &'static [Do], into: &mut Vec<&'static Do>) {
    for step in steps {
        match step {
            Do::Times(times, steps) => (0..*times).for_each(|_| flatten(steps, into)),
            step => into.push(step),
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Answer>>>;

struct Scene {
    policy: Policy,
    breaker: BreakerControl,
    heard: Arc<Mutex<Vec<Transition>>>,
    begun: Instant,
    scripts: Vec<Script>,
    running: HashMap<&'static str, Running>,
}

impl Scene {
    fn new(breaker: Breaker) -> Self {
        let heard: Arc<Mutex<Vec<Transition>>> = Arc::default();
        let ear = heard.clone();
        let breaker = breaker.on_transition(move |told| ear.lock().unwrap().push(told.clone()));
        let dependency = Dependency::named("dep")
            .retry(Retry::never())
            .no_timeout()
            .no_deadline()
            .breaker(breaker);
        let (registry, policy) = registered(dependency, "dep");
        Scene {
            policy,
            breaker: registry.breaker("dep").unwrap(),
            heard,
            begun: Instant::now(),
            scripts: Vec::new(),
            running: HashMap::new(),
        }
    }

    async fn play(&mut self, step: &'static Do) -> Result<(), String> {
        match step {
            Do::Call(step) => {
                let outcome = self.call(*step).await;
                return self.must_have_run(&outcome);
            }
            Do::Rej => drop(self.rejection().await?),
            Do::RejWithin(least, most) => {
                let retry_in = self.rejection().await?.retry_in();
                let range = Duration::from_millis(*least)..=Duration::from_millis(*most);
                if !retry_in.is_some_and(|retry_in| range.contains(&retry_in)) {
                    return Err(format!("told to come back in {retry_in:?}"));
                }
            }
            Do::RejBecause(reason) => {
                let rejection = self.rejection().await?;
                let message = rejection.to_string();
                if rejection.retry_in().is_some() || !message.contains(reason) {
                    return Err(message);
                }
            }
            Do::Start(name, step) => {
                let mut call: Running = Box::pin(self.call(*step));
                if poll_once(call.as_mut()).is_ready() {
                    return Err(format!("{name} is over at once"));
                }
                self.running.insert(name, call);
            }
            Do::Finish(name) => drop(self.running.remove(name).unwrap().await),
            Do::Drop(name) => drop(self.running.remove(name).unwrap()),
            Do::At(millis) => {
                let passed = self.begun.elapsed();
                self.pass(Duration::from_millis(*millis).saturating_sub(passed))
                    .await;
            }
            Do::Wait(millis) => self.pass(Duration::from_millis(*millis)).await,
            Do::ForceOpen(reason) => self.breaker.because(*reason).force_open(),
            Do::ForceOpenFor(millis) => self.breaker.force_open_for(Duration::from_millis(*millis)),
            Do::ForceClosed => self.breaker.force_closed(),
            Do::Lift => self.breaker.lift(),
            Do::Reset => self.breaker.reset(),
            Do::Times(..) => {}
            check => return self.check(check),
        }
        Ok(())
    }

    fn check(&self, check: &Do) -> Result<(), String> {
        let snapshot = self.breaker.snapshot();
        let heard = self.heard.lock().unwrap();
        let rules: Vec<Rule> = heard.iter().map(|told| told.rule).collect();
        let ran: usize = self
            .scripts
            .iter()
            .map(|script| script.starts().len())
            .sum();
        let holds = match check {
            Do::Is(state) => snapshot.state == *state,
            Do::Counts(failures, attempts) => {
                (snapshot.failures, snapshot.attempts) == (*failures, *attempts)
            }
            Do::Slow(slow, attempts) => (snapshot.slow, snapshot.attempts) == (*slow, *attempts),
            Do::Heard(expected) => rules == *expected,
            Do::Opened(failures, attempts) => heard
                .last()
                .is_some_and(|last| (last.failures, last.attempts) == (*failures, *attempts)),
            Do::Ran(expected) => ran == *expected,
            Do::WouldHaveRefused(calls) => snapshot.would_have_refused == *calls,
            _ => false,
        };
        if holds {
            Ok(())
        } else {
            Err(format!("{ran} ran, {rules:?}, {snapshot:?}"))
        }
    }

    fn call(&mut self, step: Step) -> impl Future<Output = Answer> + use<> {
        let (policy, script) = (self.policy.clone(), Script::new(&[step]));
        self.scripts.push(script.clone());
        async move { policy.call(|| script.attempt()).await }
    }

    fn must_have_run(&self, outcome: &Answer) -> Result<(), String> {
        let script = self.scripts.last().unwrap();
        match script.starts().len() {
            0 => Err(format!("was not admitted: {outcome:?}")),
            _ => Ok(()),
        }
    }

    async fn rejection(&mut self) -> Result<Rejection, String> {
        match self.call(Step::S).await {
            Err(Failure::Rejected(rejection @ Rejection::BreakerOpen { .. })) => Ok(rejection),
            outcome => Err(format!("was not refused: {outcome:?}")),
        }
    }

    /// A success that is ready at once reads no clock and is dated by whoever does next. Here that
    /// is before time goes on, so that each is where the row says.
    async fn pass(&self, time: Duration) {
        self.breaker.snapshot();
        advance(time).await;
    }
}
