//! How keys are kept, as it is written and as it is checked.

use std::time::Duration;

use super::Effects;
use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

const DEFAULT_TTL: Duration = Duration::from_secs(24 * 60 * 60);
const DEFAULT_LEASE: Duration = Duration::from_secs(30);
const DEFAULT_MAX_RUN: Duration = Duration::from_secs(10 * 60);
const DEFAULT_STORE_TIMEOUT: Duration = Duration::from_secs(2);
const DEFAULT_BODY_LIMIT: usize = 1024 * 1024;

/// How a kind of request is kept from running twice.
///
/// Setters never fail; what cannot work is reported by [`Idempotency::settings`], and so by
/// [`Ledger::new`](super::Ledger::new).
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::{Effects, Idempotency};
///
/// let orders = Idempotency::of(Effects::Keyed).ttl("24h").lease("30s").wait("2s");
/// assert!(orders.settings().is_ok());
///
/// let problems = Idempotency::of(Effects::Unkeyed).fail_open().settings().unwrap_err();
/// assert!(problems[0].to_string().contains("fail_open"));
/// ```
#[derive(Clone, Debug)]
pub struct Idempotency {
    effects: Effects,
    ttl: Option<GivenDuration>,
    tombstone: Option<GivenDuration>,
    lease: Option<GivenDuration>,
    max_run: Option<GivenDuration>,
    wait: Option<GivenDuration>,
    store_timeout: Option<GivenDuration>,
    body_limit: usize,
    fail_open: bool,
}

impl Idempotency {
    /// With the defaults, for runs that have these effects.
    #[must_use]
    pub fn of(effects: Effects) -> Self {
        Idempotency {
            effects,
            ttl: None,
            tombstone: None,
            lease: None,
            max_run: None,
            wait: None,
            store_timeout: None,
            body_limit: DEFAULT_BODY_LIMIT,
            fail_open: false,
        }
    }

    /// The rules that come to these settings.
    pub(crate) fn with(settings: &IdempotencySettings) -> Self {
        Idempotency {
            effects: settings.effects,
            ttl: Some(settings.ttl.into_duration()),
            tombstone: Some(settings.tombstone.into_duration()),
            lease: Some(settings.lease.into_duration()),
            max_run: Some(settings.max_run.into_duration()),
            wait: Some(settings.wait.into_duration()),
            store_timeout: Some(settings.store_timeout.into_duration()),
            body_limit: settings.body_limit,
            fail_open: settings.fail_open,
        }
    }

    /// Other effects.
    #[must_use]
    pub fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// How long an answer is kept, from the end of its run on; longer than the lease; default 24 h.
    /// After that the key counts as new.
    #[must_use]
    pub fn ttl(mut self, ttl: impl IntoDuration) -> Self {
        self.ttl = Some(ttl.into_duration());
        self
    }

    /// How long key and fingerprint are kept after the answer; default none. A repeat in that time
    /// is told that it was done, and does not run anew.
    #[must_use]
    pub fn tombstone(mut self, tombstone: impl IntoDuration) -> Self {
        self.tombstone = Some(tombstone.into_duration());
        self
    }

    /// How long the right to run holds without a sign of life, and so how long the repeat of a run
    /// that was killed has to wait; default 30 s. It is renewed three times as often.
    #[must_use]
    pub fn lease(mut self, lease: impl IntoDuration) -> Self {
        self.lease = Some(lease.into_duration());
        self
    }

    /// How long a lease is renewed; default 10 min. A run that hangs for longer is given up.
    #[must_use]
    pub fn max_run(mut self, max_run: impl IntoDuration) -> Self {
        self.max_run = Some(max_run.into_duration());
        self
    }

    /// How long a repeat waits for the run that is at work, instead of being refused at once.
    #[must_use]
    pub fn wait(mut self, wait: impl IntoDuration) -> Self {
        self.wait = Some(wait.into_duration());
        self
    }

    /// How long the store may take for one step, shorter than the lease; default 2 s.
    #[must_use]
    pub fn store_timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.store_timeout = Some(timeout.into_duration());
        self
    }

    /// The largest answer that is kept, in bytes; default 1 MiB. A larger one is not replayed, but
    /// what it answered does not run again either.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Runs without protection while the store is not available, instead of refusing. Only for
    /// effects that may be repeated.
    #[must_use]
    pub fn fail_open(mut self) -> Self {
        self.fail_open = true;
        self
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, at once: text that is no duration, times of zero, a lease that
    /// outlives the answer, a store that may take longer than the lease, `fail_open` over effects
    /// that cannot be repeated.
    pub fn settings(&self) -> Result<IdempotencySettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("idempotency");
        let lease = problems.time("lease", self.lease.as_ref(), DEFAULT_LEASE);
        let ttl = problems.time("ttl", self.ttl.as_ref(), DEFAULT_TTL);
        let store_timeout = problems.time(
            "store_timeout",
            self.store_timeout.as_ref(),
            DEFAULT_STORE_TIMEOUT.min(lease / 2),
        );
        if ttl < lease {
            problems.add(
                "ttl",
                format_args!("{ttl:?}"),
                format!("write at least the lease, {lease:?}"),
            );
        }
        if store_timeout >= lease {
            problems.add(
                "store_timeout",
                format_args!("{store_timeout:?}"),
                format!(
                    "write less than the lease, {lease:?}, or it lapses while the store is asked"
                ),
            );
        }
        if self.fail_open && !self.effects.may_repeat() {
            problems.add(
                "fail_open",
                "true",
                "effects that cannot be repeated need the store: leave it out, or send a derived key along and write `Effects::Keyed`",
            );
        }
        let settings = IdempotencySettings {
            effects: self.effects,
            ttl,
            tombstone: problems.duration("tombstone", self.tombstone.as_ref(), Duration::ZERO),
            lease,
            max_run: problems.time("max_run", self.max_run.as_ref(), DEFAULT_MAX_RUN),
            wait: problems.duration("wait", self.wait.as_ref(), Duration::ZERO),
            store_timeout,
            body_limit: self.body_limit,
            fail_open: self.fail_open,
        };
        problems.or(settings)
    }
}

/// The numbers of [`Idempotency`] after they were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdempotencySettings {
    /// What runs do.
    pub effects: Effects,
    /// How long an answer is kept.
    pub ttl: Duration,
    /// How long key and fingerprint are kept after it.
    pub tombstone: Duration,
    /// How long a lease holds.
    pub lease: Duration,
    /// How long it is renewed.
    pub max_run: Duration,
    /// How long a repeat waits for the first.
    pub wait: Duration,
    /// How long the store may take.
    pub store_timeout: Duration,
    /// The largest answer that is kept.
    pub body_limit: usize,
    /// Whether it runs unprotected while the store is not available.
    pub fail_open: bool,
}
