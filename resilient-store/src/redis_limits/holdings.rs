//! What this process has taken in advance, and hands out without asking.
//!
//! Whatever is here was counted in Redis before: handing it out, losing it or forgetting it never makes
//! more pass than the limits allow.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use resilient_core::rate_limit::{Algorithm, Ask, Decision, LimitSettings};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::config::MOST_RESERVED;
use super::denials::is_same;
use super::later::later;
use super::recent::Recent;
use super::subject::Subject;
use super::there::Batch;

/// Of how many subjects something is held: the half that was asked for last is never forgotten.
const MOST: usize = 20_000;

/// What is held of each subject.
#[derive(Debug)]
pub(super) struct Holdings {
    batch: u32,
    of: Mutex<Recent<Holding>>,
}

#[derive(Debug)]
struct Holding {
    limits: Arc<[LimitSettings]>,
    /// The last batch; none, before the first is there.
    last: Option<Last>,
    left: u32,
    /// Closed when a batch that was asked for is there, or will not come.
    awaited: Option<Arc<Semaphore>>,
}

#[derive(Debug)]
struct Last {
    decision: Decision,
    at: Instant,
    until: Instant,
    size: u32,
}

/// Who asks Redis for the next batch.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// Whoever has this.
    Own(Refill<'a>),
    /// Somebody else: waited for until this is closed.
    Others(Arc<Semaphore>),
}

/// A batch that is to be asked for. Dropped without one, everything is as it was.
#[derive(Debug)]
pub(super) struct Refill<'a> {
    holdings: &'a Holdings,
    subject: Subject,
    limits: Arc<[LimitSettings]>,
    awaited: Arc<Semaphore>,
    /// What is there already of the cost of the request, set apart from what others take.
    set_apart: u32,
    pub(super) needed: u32,
    pub(super) wanted: u32,
}

/// Something to give back.
#[derive(Debug)]
pub(super) struct Rest {
    pub(super) subject: Subject,
    pub(super) limits: Arc<[LimitSettings]>,
    pub(super) left: u32,
    pub(super) decision: Decision,
}

/// Whether batches can be taken for requests like this one. A log counts when each request came, which
/// a batch does not know.
pub(super) fn serves(ask: &Ask<'_>) -> bool {
    let mut limits = ask.limits.iter();
    (1..=MOST_RESERVED).contains(&ask.cost)
        && limits.all(|limit| limit.algorithm != Algorithm::SlidingLog)
}

impl Holdings {
    pub(super) fn of_batches(batch: u32) -> Self {
        Holdings {
            batch,
            of: Mutex::new(Recent::at_most(MOST)),
        }
    }

    /// Hands out what the request costs; or only says that it would, if that is not to be taken.
    pub(super) fn take(&self, subject: &Subject, ask: &Ask<'_>, now: Instant) -> Option<Decision> {
        let mut all = self.lock();
        let holding = all.get(subject)?;
        holding.take(ask, now)
    }

    /// Who is to ask for more, now that there is not enough.
    pub(super) fn next(&self, subject: Subject, ask: &Ask<'_>, now: Instant) -> Next<'_> {
        let mut all = self.lock();
        let known = all
            .get(&subject)
            .filter(|holding| is_same(&holding.limits, ask.limits));
        if let Some(awaited) = known.as_ref().and_then(|holding| holding.awaited.clone()) {
            return Next::Others(awaited);
        }
        let awaited = Arc::new(Semaphore::new(0));
        let (mut set_apart, mut size) = (0, 0);
        if let Some(holding) = known {
            holding.awaited = Some(awaited.clone());
            size = holding.next_size(now);
            set_apart = holding.left_at(now).min(ask.cost);
            holding.left -= set_apart;
        } else {
            let holding = Holding {
                limits: ask.limits.clone(),
                last: None,
                left: 0,
                awaited: Some(awaited.clone()),
            };
            all.insert(subject, holding);
        }
        let needed = (ask.cost - set_apart).max(1);
        Next::Own(Refill {
            holdings: self,
            subject,
            limits: ask.limits.clone(),
            awaited,
            set_apart,
            needed,
            wanted: size.min(self.batch).max(needed),
        })
    }

    /// Takes a charge back that was handed out of the last batch; tells whether it was.
    pub(super) fn put_back(
        &self,
        subject: &Subject,
        ask: &Ask<'_>,
        decision: &Decision,
        now: Instant,
    ) -> bool {
        let mut all = self.lock();
        let Some(holding) = all.get(subject) else {
            return false;
        };
        let is_of_it = holding.last.as_ref().is_some_and(|last| {
            last.until > now && last.decision.decided_at() == decision.decided_at()
        });
        if !is_of_it || !is_same(&holding.limits, ask.limits) {
            return false;
        }
        holding.left = holding.left.saturating_add(ask.cost);
        true
    }

    /// All that is left. Nothing is held any more.
    pub(super) fn drain(&self, now: Instant) -> Vec<Rest> {
        let all = self.lock().drain();
        let rests = all.filter_map(|(subject, holding)| {
            let left = holding.left_at(now);
            let last = holding.last.filter(|_| left > 0)?;
            Some(Rest {
                subject,
                left,
                decision: later(&last.decision, &holding.limits, left, now - last.at),
                limits: holding.limits,
            })
        });
        rests.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Recent<Holding>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holding {
    fn take(&mut self, ask: &Ask<'_>, now: Instant) -> Option<Decision> {
        if !is_same(&self.limits, ask.limits) || self.left_at(now) < ask.cost {
            return None;
        }
        let last = self.last.as_ref()?;
        if ask.charge {
            self.left -= ask.cost;
        }
        let time = now.saturating_duration_since(last.at);
        Some(later(&last.decision, &self.limits, ask.cost, time))
    }

    fn left_at(&self, now: Instant) -> u32 {
        match &self.last {
            Some(last) if last.until > now => self.left,
            _ => 0,
        }
    }

    /// Twice the last batch if that is used up in time; or else what was used of it.
    fn next_size(&self, now: Instant) -> u32 {
        match &self.last {
            None => 0,
            Some(last) if last.until > now => last.size.saturating_mul(2),
            Some(last) => last.size.saturating_sub(self.left),
        }
    }
}

impl Refill<'_> {
    /// The time that so much takes to come back is how long a batch of a bucket lasts.
    pub(super) fn longest(&self) -> u32 {
        self.holdings.batch
    }

    /// Adds a batch that was asked for at `asked`, and hands out what the request costs. None, if what
    /// was set apart has lapsed meanwhile and the batch alone is not enough.
    pub(super) fn fill(
        mut self,
        ask: &Ask<'_>,
        batch: Batch,
        asked: Instant,
        now: Instant,
    ) -> Option<Decision> {
        let mut all = self.holdings.lock();
        let set_apart = std::mem::take(&mut self.set_apart);
        let until = asked + batch.lifetime;
        let last = Last {
            decision: batch.decision,
            at: asked,
            until,
            size: batch.granted,
        };
        let mut fresh = Holding {
            limits: self.limits.clone(),
            last: Some(last),
            left: batch.granted,
            awaited: None,
        };
        let known = all.get(&self.subject);
        let Some(holding) = known.filter(|holding| holding.is_awaited_by(&self.awaited)) else {
            // Somebody has other numbers by now, or so many others came that this was forgotten. The
            // request is served all the same; the rest is lost.
            return fresh.take_first(ask);
        };
        let before = holding.last.as_ref().filter(|last| last.until > now);
        if let (Some(before), Some(last)) = (before, &mut fresh.last) {
            // What is mixed lapses together.
            last.until = last.until.min(before.until);
            fresh.left += set_apart + holding.left;
        }
        *holding = fresh;
        holding.take_first(ask)
    }
}

impl Holding {
    fn is_awaited_by(&self, awaited: &Arc<Semaphore>) -> bool {
        let own = self.awaited.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(own, awaited))
    }

    /// For whom the batch was asked for, whose decision is that of Redis; also of a batch that lapses
    /// at once.
    fn take_first(&mut self, ask: &Ask<'_>) -> Option<Decision> {
        let last = self.last.as_ref()?;
        self.left = self.left.checked_sub(ask.cost)?;
        Some(last.decision.clone())
    }
}

impl Drop for Refill<'_> {
    fn drop(&mut self) {
        self.awaited.close();
        let mut all = self.holdings.lock();
        let holding = all.get(&self.subject);
        if let Some(holding) = holding.filter(|holding| holding.is_awaited_by(&self.awaited)) {
            holding.awaited = None;
            holding.left = holding.left.saturating_add(self.set_apart);
            if holding.last.is_none() {
                all.remove(&self.subject);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use resilient_core::Name;
    use resilient_core::rate_limit::{Limit, RateLimit, Reading};

    use super::*;

    const LIFETIME: Duration = Duration::from_secs(10);

    struct Desk {
        holdings: Holdings,
        name: Name,
        limits: Arc<[LimitSettings]>,
    }

    impl Desk {
        fn new() -> Self {
            let limit = RateLimit::named("api").limit(Limit::fixed("l", 100, "10s"));
            Desk {
                holdings: Holdings::of_batches(8),
                name: Name::new("api").unwrap(),
                limits: limit.settings().unwrap().limits.into(),
            }
        }

        fn ask(&self, cost: u32) -> Ask<'_> {
            Ask::new(&self.name, "u", cost, true, &self.limits)
        }

        fn subject(&self) -> Subject {
            Subject::new(&self.name, "u")
        }

        fn batch(&self, cost: u32, granted: u32) -> Batch {
            let readings = vec![Reading::default()];
            Batch {
                decision: Decision::new(self.limits.clone(), readings, true, cost, 7),
                granted,
                lifetime: LIFETIME,
            }
        }

        fn own(&self, cost: u32, now: Instant) -> Refill<'_> {
            match self.holdings.next(self.subject(), &self.ask(cost), now) {
                Next::Own(refill) => refill,
                Next::Others(_) => panic!("nobody else asks"),
            }
        }
    }

    /// Case R04: what was taken in a window is no part of what passes in the next one.
    #[tokio::test(start_paused = true)]
    async fn r04_what_was_set_apart_lapses_with_its_window() {
        let (desk, start) = (Desk::new(), Instant::now());
        let refill = desk.own(1, start);
        assert_eq!((refill.needed, refill.wanted), (1, 1));
        let first = refill.fill(&desk.ask(1), desk.batch(1, 4), start, start);
        assert!(first.is_some());
        let end = start + LIFETIME;
        let before = end - Duration::from_nanos(1);
        let refill = desk.own(5, before);
        assert_eq!((refill.needed, refill.wanted), (2, 8), "three are there");
        let late = refill.fill(&desk.ask(5), desk.batch(5, 2), before, end);
        assert!(late.is_none(), "two of the new window are not enough");
        let refill = desk.own(5, end);
        assert_eq!(refill.needed, 3);
        let all = refill.fill(&desk.ask(5), desk.batch(5, 3), end, end);
        assert!(all.is_some());
        assert!(
            desk.holdings
                .take(&desk.subject(), &desk.ask(1), end)
                .is_none()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn r04_nothing_is_handed_out_from_the_end_of_its_window_on() {
        let (desk, start) = (Desk::new(), Instant::now());
        let refill = desk.own(1, start);
        // The answer took a while: the window has begun before it was asked for.
        let answered = start + LIFETIME / 2;
        let first = refill.fill(&desk.ask(1), desk.batch(1, 4), start, answered);
        assert!(first.is_some());
        let end = start + LIFETIME;
        let take = |now| desk.holdings.take(&desk.subject(), &desk.ask(1), now);
        assert!(take(end - Duration::from_nanos(1)).is_some());
        assert!(take(end).is_none());
        assert!(desk.holdings.drain(end).is_empty());
    }

    /// Case R13: whoever was forgotten meanwhile is served, and holds nothing.
    #[tokio::test(start_paused = true)]
    async fn r13_a_key_that_was_forgotten_while_it_asked_is_served() {
        let (desk, now) = (Desk::new(), Instant::now());
        let refill = desk.own(1, now);
        assert!(desk.holdings.drain(now).is_empty());
        let served = refill.fill(&desk.ask(1), desk.batch(1, 4), now, now);
        assert!(served.is_some());
        let held = desk.holdings.take(&desk.subject(), &desk.ask(1), now);
        assert!(held.is_none());
    }
}
