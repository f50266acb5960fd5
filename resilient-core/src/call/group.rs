//! What the copies of a hedged attempt share: their limits, their permits, and when the next one
//! is due.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::Call;
#[cfg(feature = "faults")]
use super::fault::{Fault, Suffered, suffer};
use super::phase::Phase;
use crate::breaker::Ticket;
use crate::bulkhead::{Acquired, BulkheadHandle};
use crate::context::{Cut, Limit};
use crate::seam::clock::{self, Moment};
use crate::seam::sync::Arc;
use crate::seam::timer::Timer;
use crate::site::{Counted, Plan};
use crate::telemetry::{self, Hedged};

/// The number of the copy every attempt has.
const FIRST: u32 = 1;

/// The copies of one attempt, without their bodies.
#[derive(Debug)]
pub(super) struct Group {
    running: Vec<Member>,
    /// How many were started.
    started: u32,
    /// How many may still become due.
    left: u32,
    /// When the next one is due.
    due: Moment,
    /// From one to the next.
    step: Duration,
    /// How the first copy was cut, while others run.
    first_cut: Option<Phase>,
    /// One for each running copy but one, which has the call's own or that of a call around it.
    permits: Vec<Permit>,
}

#[derive(Debug)]
struct Member {
    number: u32,
    /// Its attempt timeout, once it has been polled.
    timeout: Option<Limit>,
    #[cfg(feature = "faults")]
    fault: Option<Box<Fault>>,
}

/// What happens to copies that are all pending.
#[derive(Debug)]
pub(super) enum Event {
    /// Another copy is to be started, and is paid for.
    Due,
    /// The copy at this place ran into its timeout.
    Cut(usize),
    /// The call's time is over.
    Over,
}

/// A permit that is given back wherever it is dropped.
#[derive(Debug)]
struct Permit(Arc<BulkheadHandle>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Default for Group {
    fn default() -> Self {
        Group {
            running: Vec::new(),
            started: 0,
            left: 0,
            due: Moment::NEVER,
            step: Duration::ZERO,
            first_cut: None,
            permits: Vec::new(),
        }
    }
}

impl Group {
    pub(super) fn joined(&mut self) {
        self.started += 1;
        self.running.push(Member {
            number: self.started,
            timeout: None,
            #[cfg(feature = "faults")]
            fault: None,
        });
    }

    pub(super) fn left(&mut self, index: usize) {
        self.running.remove(index);
        self.permits.truncate(self.running.len().saturating_sub(1));
    }

    pub(super) fn end(&mut self) {
        self.running.clear();
        self.permits.clear();
    }

    /// The place of a copy that was started and never polled.
    pub(super) fn not_yet_polled(&self) -> Option<usize> {
        self.running
            .iter()
            .position(|member| member.timeout.is_none())
    }

    pub(super) fn is_first(&self, index: usize) -> bool {
        self.running[index].number == FIRST
    }

    /// What is left of the timeout of the copy at `index`.
    pub(super) fn timeout(&self, index: usize, call: &Call) -> Limit {
        let timeout = self.running[index].timeout;
        timeout.unwrap_or_else(|| Limit::of(call.plan.get().map_or(u64::MAX, Plan::timeout)))
    }

    pub(super) fn set_timeout(&mut self, index: usize, timeout: Limit) {
        self.running[index].timeout = Some(timeout);
    }

    /// Lets the fault act that the copy at `index` drew when it was first polled.
    #[cfg(feature = "faults")]
    pub(super) fn suffer(&mut self, index: usize, call: &Call, cx: &mut Context<'_>) -> Suffered {
        let timeout = self.timeout(index, call);
        let member = &mut self.running[index];
        if member.timeout.replace(timeout).is_none() {
            member.fault = call.draw_fault();
        }
        let suffered = suffer(&mut member.fault, cx);
        if matches!(suffered, Suffered::Error) && member.number == FIRST {
            self.first_cut = Some(Phase::Injected);
        }
        suffered
    }

    pub(super) fn take_first_cut(&mut self) -> Option<Phase> {
        self.first_cut.take()
    }

    /// The copy at `index` has succeeded. How long the first one took is worth knowing, unless that
    /// one has failed.
    pub(super) fn won(&self, index: usize, call: &Call) {
        let winner = self.running[index].number;
        if winner != FIRST {
            call.tell_hedged(Hedged::Won { copy: winner });
        }
        let first_runs = self.running.iter().any(|member| member.number == FIRST);
        if first_runs && let Some(hedging) = call.plan.get().and_then(|plan| plan.hedging.as_ref())
        {
            hedging.learn(|| match call.phase {
                Phase::Limited { start, .. } => clock::now().since(start),
                _ => Duration::ZERO,
            });
        }
    }

    /// All copies are pending: ready with what comes next, unless one of them comes first.
    pub(super) fn watch(
        &mut self,
        call: &mut Call,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Event> {
        if call.plan.get().is_none() {
            return Poll::Pending;
        }
        let start = match call.phase {
            Phase::Limited { start, .. } => start,
            _ => self.start_clocks(call),
        };
        loop {
            let now = clock::now();
            let (at, next) = self.next(call, start, now);
            let gives_way =
                matches!(next, Next::End(_)) && timer.is_armed() && timer.armed_for() > at;
            if !gives_way {
                timer.as_mut().arm(at);
            }
            // A timer is a millisecond late, which is long for copies that are to start at once.
            if !matches!(next, Next::Due) || at > now {
                ready!(timer.as_mut().poll(cx));
            }
            match next {
                Next::Due => {
                    self.left -= 1;
                    // From now: after a standstill, those that were missed do not come all at once.
                    self.due = now.max(at).plus(self.step);
                    if self.launch(call) {
                        return Poll::Ready(Event::Due);
                    }
                    // What refuses this one is no place for more load.
                    self.left = 0;
                }
                Next::Timeout(index) => {
                    if self.is_first(index) {
                        self.first_cut = Some(call.cut_by(Cut::Timeout, start, at));
                    }
                    return Poll::Ready(Event::Cut(index));
                }
                Next::End(cut) => {
                    if cut == Cut::Inherited {
                        ready!(call.give_way(timer.as_mut(), cx));
                    }
                    call.phase = call.cut_by(cut, start, at);
                    self.first_cut = None;
                    return Poll::Ready(Event::Over);
                }
            }
        }
    }

    /// The clocks start now, and it is known when the next copy is due.
    fn start_clocks(&mut self, call: &mut Call) -> Moment {
        let (now, _) = call.started();
        let probe = call.ticket.is_some_and(Ticket::is_probe);
        let hedging = call.plan.get().and_then(|plan| plan.hedging.as_ref());
        if let Some(hedging) = hedging.filter(|_| !probe) {
            let settings = hedging.settings();
            if let Some(step) = hedging.after(settings) {
                self.left = settings.max.saturating_sub(FIRST);
                self.step = step;
                self.due = now.plus(step);
            }
        }
        now
    }

    /// What comes first, and when. The call's end before a copy's, and both before another copy, of
    /// which there is none once the call's time is over.
    fn next(&mut self, call: &mut Call, start: Moment, now: Moment) -> (Moment, Next) {
        let (end, cut) = call.frame.end(start);
        let mut first = (end, Next::End(cut));
        for (index, member) in self.running.iter_mut().enumerate() {
            let Some(timeout) = &mut member.timeout else {
                continue;
            };
            let at = timeout.end(now);
            if at < first.0 {
                first = (at, Next::Timeout(index));
            }
        }
        if self.left > 0 && self.due < first.0 && now < end {
            first = (self.due, Next::Due);
        }
        first
    }

    /// Asks for everything that another copy needs: a closed breaker, a permit of its own, and a
    /// token. Nothing is taken unless there is all of it.
    fn launch(&mut self, call: &Call) -> bool {
        let Some(plan) = call.plan.get() else {
            return false;
        };
        let refused = |reason| {
            call.tell_hedged(Hedged::Refused { reason });
            false
        };
        if !plan.may_hedge() {
            return refused("off");
        }
        if let Some(breaker) = call.plan.breaker()
            && !breaker.may_continue(call.ticket)
        {
            return refused("breaker");
        }
        let mut permit = None;
        if let Some(bulkhead) = &plan.bulkhead {
            if bulkhead.try_acquire() != Acquired::Granted {
                return refused("bulkhead");
            }
            permit = Some(Permit(bulkhead.clone()));
        }
        if let Some(budget) = &plan.budget
            && !budget.try_spend(clock::now())
        {
            return refused("budget");
        }
        self.permits.extend(permit);
        call.count(Counted::Hedge);
        call.tell_hedged(Hedged::Started {
            copy: self.started + 1,
        });
        true
    }
}

#[derive(Clone, Copy, Debug)]
enum Next {
    Due,
    Timeout(usize),
    End(Cut),
}

impl Call {
    fn tell_hedged(&self, what: Hedged) {
        self.inside_span(|| telemetry::hedged(self.frame.attempt, what));
    }
}
