//! The right to run, asked for once per request.

use std::sync::Arc;
use std::time::Duration;

use super::counts::Counters;
use super::judge::{is_of_another, judge};
use super::{
    Answer, Claim, Claimed, Counts, Execution, Fingerprint, Finish, Idempotency,
    IdempotencySettings, RecordId, Refusal, Resolution, Resolve, Resource, Run, Seal, State, Store,
    StoreError, StoreFuture, Won,
};
use crate::invalid::InvalidSetting;
use crate::seam::clock::{self, Moment};
use crate::seam::random::Random;

/// When to ask again for a run that is at work.
const BUSY: Duration = Duration::from_secs(1);

/// When to ask again while the store is not available.
const STORE_DOWN: Duration = Duration::from_secs(5);

/// How often a waiting repeat looks: soon at first, because most runs are short.
const FIRST_LOOK: Duration = Duration::from_millis(10);
const LAST_LOOK: Duration = Duration::from_millis(500);

/// A store of keys and the rules by which they are kept. Cloning gives another handle to the same.
///
/// [`begin`](Ledger::begin) asks for the right to run; what it answers with is a [`Run`] to be
/// driven and completed, or the answer that is kept from before.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::{
///     Answer, Begun, Effects, Idempotency, Key, Ledger, MemoryStore, RecordId, Request, Scope,
/// };
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = Ledger::new(MemoryStore::new(10_000), &Idempotency::of(Effects::Keyed))?;
/// let id = RecordId::new(Scope::of("tenant-7").and("orders"), Key::parse("abc")?);
///
/// let Begun::Run(run) = ledger.begin(Request::new(id.clone())).await? else { panic!() };
/// let body = run.drive(async { b"order 1".to_vec() }).await?;
/// run.complete(Answer { status: 201, head: Vec::new(), body }, None).await?;
///
/// let Begun::Replay(answer) = ledger.begin(Request::new(id)).await? else { panic!() };
/// assert_eq!(answer.body, b"order 1");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    inner: Arc<Inner>,
    settings: IdempotencySettings,
}

#[derive(Debug)]
struct Inner {
    store: Box<dyn Store>,
    seal: Option<Box<dyn Seal>>,
    random: Random,
    counters: Counters,
}

/// A request that may be a repeat.
#[derive(Clone)]
pub struct Request<'a> {
    id: RecordId,
    fingerprint: Option<Fingerprint>,
    resolve: Option<&'a dyn Resolve>,
}

impl<'a> Request<'a> {
    /// A request under a key; any payload under it is taken for the same.
    pub fn new(id: RecordId) -> Self {
        Request {
            id,
            fingerprint: None,
            resolve: None,
        }
    }

    /// With what was asked for: another payload under the same key is refused.
    #[must_use]
    pub fn fingerprint(mut self, fingerprint: Fingerprint) -> Self {
        self.fingerprint = Some(fingerprint);
        self
    }

    /// With a way to find out how an uncertain run ended.
    #[must_use]
    pub fn resolve(mut self, resolve: &'a dyn Resolve) -> Self {
        self.resolve = Some(resolve);
        self
    }
}

/// What became of a request.
#[derive(Debug)]
pub enum Begun {
    /// It is the first: run it.
    Run(Run),
    /// It is a repeat: this was the answer.
    Replay(Answer),
    /// The store is not available, and the rules say to run without it. Nothing is kept.
    Bypassed,
}

/// What became of a request, as long as nobody was asked how an uncertain run ended.
#[derive(Debug)]
pub(crate) enum Opened {
    Begun(Begun),
    /// Nobody knows how a run under its key ended.
    Uncertain(Box<super::Record>),
}

impl From<Begun> for Opened {
    fn from(begun: Begun) -> Self {
        Opened::Begun(begun)
    }
}

impl Ledger {
    /// Keeps records in a store.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules, see [`Idempotency::settings`].
    pub fn new(store: impl Store, rules: &Idempotency) -> Result<Self, InvalidRules> {
        let settings = rules
            .settings()
            .map_err(|problems| InvalidRules { problems })?;
        Ok(Ledger {
            inner: Arc::new(Inner {
                store: Box::new(store),
                seal: None,
                random: Random::default(),
                counters: Counters::default(),
            }),
            settings,
        })
    }

    /// Stores the bodies of answers sealed. To be called before the first clone of the ledger; a
    /// ledger that has clones stays as it is, and answers `Err` with itself.
    pub fn sealed(mut self, seal: impl Seal + 'static) -> Result<Self, Self> {
        match Arc::get_mut(&mut self.inner) {
            Some(inner) => inner.seal = Some(Box::new(seal)),
            None => return Err(self),
        }
        Ok(self)
    }

    /// The same records and counts under other rules.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules.
    pub fn with_rules(&self, rules: &Idempotency) -> Result<Self, InvalidRules> {
        let settings = rules
            .settings()
            .map_err(|problems| InvalidRules { problems })?;
        Ok(self.with_settings(settings))
    }

    fn with_settings(&self, settings: IdempotencySettings) -> Self {
        Ledger {
            inner: Arc::clone(&self.inner),
            settings,
        }
    }

    /// The rules, checked.
    pub fn settings(&self) -> &IdempotencySettings {
        &self.settings
    }

    /// The store itself.
    pub fn store(&self) -> &dyn Store {
        &*self.inner.store
    }

    /// What it has seen since it was made.
    pub fn counts(&self) -> Counts {
        self.inner.counters.read()
    }

    /// Asks for the right to run, or for the answer that is kept.
    ///
    /// # Errors
    ///
    /// [`Refusal`] says why neither is to be had.
    ///
    /// # Cancel safety
    ///
    /// Dropped in the middle, a right that was won meanwhile is held until its lease lapses.
    pub async fn begin(&self, request: Request<'_>) -> Result<Begun, Refusal> {
        let mut opened = self.open(&request).await?;
        if let (Opened::Uncertain(record), Some(resolve)) = (&opened, request.resolve) {
            let resolution = resolve.resolve(record).await;
            if self.found_out(record, resolution).await? {
                opened = self.open(&request).await?;
            }
        }
        match opened {
            Opened::Begun(begun) => Ok(begun),
            Opened::Uncertain(record) => self.replay(*record, &request).map(Begun::Replay),
        }
    }

    /// The same up to a record of which nobody knows how its run ended.
    pub(crate) async fn open(&self, request: &Request<'_>) -> Result<Opened, Refusal> {
        let claim = self.claim_of(request);
        let until = clock::now().plus(self.settings.wait);
        let mut look = FIRST_LOOK;
        loop {
            let record = match self.claim(&claim).await {
                Ok(Claimed::Won(won)) => {
                    let execution = self.execution(claim.id, won);
                    return Ok(Begun::Run(Run::new(self.clone(), execution)).into());
                }
                Ok(Claimed::Taken(record)) => record,
                Err(_) if self.settings.fail_open => {
                    self.counters().bypassed.add();
                    tracing::warn!(target: "resilient", record = %claim.id, "idempotency.bypassed");
                    return Ok(Begun::Bypassed.into());
                }
                Err(error) => return Err(unavailable(error)),
            };
            let asked = request.fingerprint.as_ref();
            // Whoever sent another payload knows nothing of the run that this one is about.
            if record.state == State::Uncertain && !is_of_another(&record, asked) {
                return Ok(Opened::Uncertain(record));
            }
            let left = until.since(clock::now());
            match self.judge(*record, asked) {
                Err(Refusal::InProgress { .. }) if !left.is_zero() => {
                    sleep(look.min(left)).await;
                    look = (look * 2).min(LAST_LOOK);
                }
                judged => return self.told(judged).map(|answer| Begun::Replay(answer).into()),
            }
        }
    }

    /// What whoever repeats a request is told about a record.
    pub(crate) fn replay(
        &self,
        record: super::Record,
        request: &Request<'_>,
    ) -> Result<Answer, Refusal> {
        self.told(self.judge(record, request.fingerprint.as_ref()))
    }

    pub(super) fn claim_of(&self, request: &Request<'_>) -> Claim {
        Claim {
            id: request.id.clone(),
            fingerprint: request.fingerprint.clone(),
            effects: self.settings.effects,
            owner: self.inner.random.bits().max(1),
            lease: self.settings.lease,
            ttl: self.settings.ttl,
            tombstone: self.settings.tombstone,
        }
    }

    pub(super) fn execution(&self, id: RecordId, won: Won) -> Execution {
        self.counters().executions.add();
        let (attempts, fence) = (won.attempts, won.fence.0);
        if won.retried {
            self.counters().retried.add();
            tracing::info!(target: "resilient", record = %id, fence, attempts, "idempotency.retried");
        } else if attempts > 1 {
            self.counters().takeovers.add();
            tracing::warn!(target: "resilient", record = %id, fence, attempts, "idempotency.takeover");
        }
        Execution::new(id, won)
    }

    /// The answer that is kept, opened, or why there is none.
    pub(super) fn judge(
        &self,
        record: super::Record,
        asked: Option<&Fingerprint>,
    ) -> Result<Answer, Refusal> {
        let id = record.id.clone();
        let answer = judge(record, asked, BUSY)?;
        self.opened(&id, answer)
    }

    /// Whether that settled an uncertain record, or someone else had.
    pub(crate) async fn found_out(
        &self,
        record: &super::Record,
        resolution: Resolution,
    ) -> Result<bool, Refusal> {
        if matches!(resolution, Resolution::Unknown) {
            return Ok(false);
        }
        self.settle(record, resolution).await.map_err(unavailable)?;
        tracing::info!(target: "resilient", record = %record.id, "idempotency.resolved");
        Ok(true)
    }

    /// What the store answers within its time.
    pub(super) async fn ask<T>(&self, step: StoreFuture<'_, T>) -> Result<T, StoreError> {
        let limit = self.settings.store_timeout;
        let answered = match tokio::time::timeout(limit, step).await {
            Ok(answered) => answered,
            Err(_) => Err(StoreError::TimedOut { after: limit }),
        };
        answered.inspect_err(|error| self.failed(error))
    }

    /// Counts a step that the store did not do.
    pub(super) fn failed(&self, error: &StoreError) {
        self.counters().store_errors.add();
        tracing::warn!(target: "resilient", %error, "idempotency.store_error");
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.inner.counters
    }

    /// Counts what a repeat is told.
    pub(super) fn told(&self, judged: Result<Answer, Refusal>) -> Result<Answer, Refusal> {
        let counters = self.counters();
        match &judged {
            Ok(_) => counters.replays.add(),
            Err(Refusal::InProgress { .. }) => counters.conflicts.add(),
            Err(Refusal::KeyReused) => counters.reused.add(),
            Err(Refusal::Uncertain) => counters.uncertain.add(),
            Err(_) => {}
        }
        judged
    }

    /// What is stored of an answer: all of it, sealed; or only that there was one, if it is over
    /// the limit or cannot be sealed.
    pub(super) fn finish(
        &self,
        id: &RecordId,
        mut answer: Answer,
        resource: Option<Resource>,
    ) -> Finish {
        let size = answer.head.len().saturating_add(answer.body.len());
        if size > self.settings.body_limit {
            return Finish::BodyDropped { resource };
        }
        if let Some(seal) = &self.inner.seal {
            match seal.seal(id, answer.body) {
                Ok(sealed) => answer.body = sealed,
                Err(error) => {
                    tracing::error!(target: "resilient", record = %id, %error, "idempotency.not_sealed");
                    return Finish::BodyDropped { resource };
                }
            }
        }
        Finish::Completed { answer, resource }
    }

    fn opened(&self, id: &RecordId, mut answer: Answer) -> Result<Answer, Refusal> {
        if let Some(seal) = &self.inner.seal {
            answer.body = seal
                .open(id, answer.body)
                .map_err(|error| Refusal::Unreadable {
                    why: error.to_string(),
                })?;
        }
        Ok(answer)
    }
}

/// Rules that cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(problems))]
pub struct InvalidRules {
    /// Everything that is wrong with them.
    pub problems: Vec<InvalidSetting>,
}

fn listed(problems: &[InvalidSetting]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

pub(super) fn unavailable(error: StoreError) -> Refusal {
    Refusal::Unavailable {
        source: Arc::new(error),
        retry_after: STORE_DOWN,
    }
}

pub(super) fn lease_lost() -> Refusal {
    Refusal::LeaseLost { retry_after: BUSY }
}

pub(super) async fn sleep(duration: Duration) {
    sleep_until(clock::now().plus(duration)).await;
}

pub(super) async fn sleep_until(moment: Moment) {
    match moment.to_instant() {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
