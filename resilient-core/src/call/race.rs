//! A hedged attempt, as a future: copies of one body, of which the first success wins.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::Call;
#[cfg(feature = "faults")]
use super::fault::Suffered;
use super::group::{Event, Group};
use super::outcome::{Judge, Outcome};
use crate::class::Class;
use crate::seam::timer::Timer;

/// The copies of a hedged attempt that are running.
///
/// Each is boxed, because how many there will be is not known, and because nothing else lets them
/// share what they borrow without moving.
pub struct Copies<F: Future> {
    bodies: Vec<Pin<Box<F>>>,
    /// What the first copy failed with, while others run.
    failed: Option<F::Output>,
    // Last, so that the bodies are gone before their permits are given back.
    group: Group,
}

impl<F: Future> Default for Copies<F> {
    fn default() -> Self {
        Copies {
            bodies: Vec::new(),
            failed: None,
            group: Group::default(),
        }
    }
}

impl<F: Future> std::fmt::Debug for Copies<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Copies").field(&self.group).finish()
    }
}

impl<F: Future> Copies<F> {
    /// None yet.
    pub fn none() -> Self {
        Copies::default()
    }

    /// Another copy: the first one, or one that [`race`] has asked for.
    pub fn start(&mut self, body: F) {
        self.bodies.push(Box::pin(body));
        self.group.joined();
    }

    /// Polls one copy; `None` if it failed without an outcome.
    fn poll_copy(
        &mut self,
        index: usize,
        call: &mut Call,
        cx: &mut Context<'_>,
    ) -> Poll<Option<F::Output>> {
        #[cfg(feature = "faults")]
        match self.group.suffer(index, call, cx) {
            Suffered::Nothing => {}
            Suffered::Pending => return Poll::Pending,
            Suffered::Error => return Poll::Ready(None),
        }
        call.frame.timeout = self.group.timeout(index, call);
        let inside = call.step_inside();
        let polled = self.bodies[index].as_mut().poll(cx);
        inside.leave();
        self.group.set_timeout(index, call.frame.timeout);
        polled.map(Some)
    }

    fn drop_copy(&mut self, index: usize) {
        drop(self.bodies.remove(index));
        self.group.left(index);
    }

    fn drop_all(&mut self) {
        self.bodies.clear();
        self.failed = None;
        self.group.end();
    }

    /// What the attempt comes back with when no copy has succeeded: what the first copy did.
    fn outcome(&mut self, call: &mut Call) -> Option<F::Output> {
        let failed = self.failed.take();
        if failed.is_none()
            && let Some(cut) = self.group.take_first_cut()
        {
            call.phase = cut;
        }
        self.drop_all();
        failed
    }
}

/// Runs `copies` until one succeeds or all have failed (`Break`), or until another copy is to be
/// started (`Continue`).
///
/// Polled all together whenever one of them wakes the task. Whether an outcome is a success is
/// asked of a closure, because the rule behind it asks something of the user's types: as a part of
/// this future it would be told twice what they lack.
pub fn race<'a, F, S>(call: &'a mut Call, copies: &'a mut Copies<F>, succeeded: S) -> Race<'a, F, S>
where
    F: Future,
    S: Fn(&Call, &F::Output) -> bool,
{
    Race {
        call,
        copies,
        succeeded,
        timer: Timer::default(),
    }
}

/// Whether an outcome ends a hedged attempt.
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn succeeded<R, E, J>(call: &Call, outcome: &R, judge: J) -> bool
where
    R: Outcome<Failure = E>,
    J: Judge<R, E>,
{
    call.classify(&judge, outcome).0 == Class::Success
}

pin_project! {
    /// See [`race`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Race<'a, F: Future, S> {
        call: &'a mut Call,
        copies: &'a mut Copies<F>,
        succeeded: S,
        #[pin]
        timer: Timer,
    }
}

impl<F, S> Future for Race<'_, F, S>
where
    F: Future,
    S: Fn(&Call, &F::Output) -> bool,
{
    type Output = ControlFlow<Option<F::Output>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let (call, copies) = (this.call, this.copies);
        if !call.is_running() && !ready!(call.admit(this.timer.as_mut(), cx)) {
            copies.drop_all();
            return Poll::Ready(ControlFlow::Break(None));
        }
        // A copy that was just started: the others are pending since a moment ago, and one that
        // succeeded now would waste what this one was paid with.
        let mut index = copies.group.not_yet_polled().unwrap_or(0);
        while index < copies.bodies.len() {
            let Poll::Ready(outcome) = copies.poll_copy(index, call, cx) else {
                index += 1;
                continue;
            };
            let Some(outcome) = outcome else {
                copies.drop_copy(index);
                continue;
            };
            if (this.succeeded)(call, &outcome) {
                copies.group.won(index, call);
                copies.drop_all();
                return Poll::Ready(ControlFlow::Break(Some(outcome)));
            }
            if copies.group.is_first(index) {
                copies.failed = Some(outcome);
            }
            copies.drop_copy(index);
        }
        loop {
            if copies.bodies.is_empty() {
                return Poll::Ready(ControlFlow::Break(copies.outcome(call)));
            }
            match ready!(copies.group.watch(call, this.timer.as_mut(), cx)) {
                Event::Due => return Poll::Ready(ControlFlow::Continue(())),
                Event::Cut(index) => copies.drop_copy(index),
                Event::Over => copies.bodies.clear(),
            }
        }
    }
}
