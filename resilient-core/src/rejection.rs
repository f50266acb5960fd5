//! What a call ends with when this library, and not the dependency, ended it.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::breaker::{BreakerKey, BreakerState, Reason};
use crate::class::{Class, Classify};
#[cfg(feature = "idempotency")]
use crate::idempotency::Refusal;
use crate::name::Name;

/// A call refused or cut short by a policy of its own side.
///
/// An annotated function returns it through `From<Rejection>` of its error type, or through the
/// function named by `reject = path`. `thiserror` writes the conversion: `Rejected(#[from]
/// Rejection)`. It is returned only if no attempt finished, or if the last one or the fallback was cut
/// by its `timeout`; otherwise the caller gets the last outcome itself.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Class, Classify, Rejection};
/// use std::time::Duration;
///
/// let cut = Rejection::TimedOut { after: Duration::from_secs(5) };
/// assert_eq!(cut.class(), Class::transient());
/// assert_eq!(cut.kind(), "timeout");
/// assert!(cut.to_string().contains("5s"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// One attempt, or the fallback, ran longer than its `timeout` and was dropped.
    #[error("timeout: not done after {after:?} (raise `timeout` if it usually needs longer)")]
    TimedOut {
        /// The timeout.
        after: Duration,
    },
    /// The whole call, its queues and waits included, ran longer than its `deadline`.
    #[error(
        "deadline: the call was not done after {after:?} (raise `deadline`, or lower `timeout` so that more attempts fit)"
    )]
    DeadlineExceeded {
        /// The time the call had: its own deadline, or what an outer call had left.
        after: Duration,
    },
    /// The breaker admits no call now.
    #[error("breaker `{dependency}`{} is {state}{}: {}", for_key(key.as_ref()), because(reason.as_ref()), again(*retry_in))]
    BreakerOpen {
        /// The dependency whose breaker it is.
        dependency: Name,
        /// Which of the dependency's many it is, of a call with `breaker(key = ..)`.
        key: Option<BreakerKey>,
        /// Open, half-open with all its probes running, or forced open by an operator.
        state: BreakerState,
        /// When it may admit a call again; [`Duration::MAX`] while only an operator can tell.
        retry_in: Duration,
        /// Why an operator forced it open, if that was said.
        reason: Option<Reason>,
    },
    /// All permits are taken and the call may not wait, or not any longer.
    #[error("bulkhead `{dependency}` is full: {limit} running{} (raise `max_concurrent`, `max_queue` or `max_wait`, or send fewer calls)", waited_for(*waited))]
    BulkheadFull {
        /// The dependency whose bulkhead it is.
        dependency: Name,
        /// Its `max_concurrent`; [`u32::MAX`] stands for anything larger.
        limit: u32,
        /// How long the call queued; zero if the queue was full as well.
        waited: Duration,
    },
    /// The dependency accepts too few attempts, and this one was among those that the throttle
    /// does not send.
    #[error(
        "throttle of `{dependency}` sheds {percent} % of the attempts: too few of those before were accepted (send fewer calls, or raise `accepts` if the failures are no sign of overload)"
    )]
    Shed {
        /// The dependency whose throttle it is.
        dependency: Name,
        /// How many of a hundred attempts are shed at this moment, 1 to 100.
        percent: u8,
    },
    /// The rate limiter has no room for the call, and it may not wait, or not that long.
    #[error("rate limiter `{limiter}`{}: {} (send fewer calls, or raise the quota or `max_wait`)", of_limit(limit.as_ref()), room(*retry_in))]
    RateLimited {
        /// The limiter.
        limiter: Name,
        /// The limit that keeps the call out for longest, if it is a limit that does;
        /// none if too many wait, the key is on the deny list, or the store does not answer.
        limit: Option<Name>,
        /// When it would fit; [`Duration::MAX`] if it never does, or nobody knows.
        retry_in: Duration,
    },
    /// The attempt was made to fail on purpose, see `testing::Faults`.
    #[error("injected: this attempt was made to fail (end it with `inject(Faults::none())`)")]
    Injected,
    /// The function names something that nobody registered.
    #[error(transparent)]
    NotRegistered(Box<NotRegistered>),
    /// The key of a function with `idempotent(store = ..)` gives no right to run it, and no answer.
    #[cfg(feature = "idempotency")]
    #[error(transparent)]
    Idempotency(Box<Refusal>),
}

/// A name at an annotated function that nobody registered.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::NotRegistered;
///
/// let miss = NotRegistered {
///     kind: "breaker",
///     name: "paymnet".into(),
///     near: vec!["payment".into()],
///     site: Some("shop::charge".into()),
/// };
/// assert_eq!(
///     miss.to_string(),
///     "breaker `paymnet` of `shop::charge` is not registered: did you mean `payment`?",
/// );
/// ```
///
/// Its `Debug` is its message, because a `main` that returns it prints that.
#[derive(Clone, PartialEq, Eq)]
pub struct NotRegistered {
    /// What the name is used as: `dependency`, `retry`, `breaker`, `budget`, `bulkhead`, `store` or
    /// `limiter`.
    pub kind: &'static str,
    /// The name as it is written there.
    pub name: String,
    /// Registered names close to it, best first, at most three.
    pub near: Vec<String>,
    /// The annotated function, if one uses the name.
    pub site: Option<String>,
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotRegistered {
            kind,
            name,
            near,
            site,
        } = self;
        write!(f, "{kind} `{name}`")?;
        if let Some(site) = site {
            write!(f, " of `{site}`")?;
        }
        f.write_str(" is not registered: ")?;
        if near.is_empty() {
            let how = match *kind {
                "store" => format!("call `register_store({name:?}, ledger)`"),
                "limiter" => format!("register `RateLimit::named({name:?})`"),
                _ => format!("register `Dependency::named({name:?})`"),
            };
            return write!(f, "{how} before it is first used");
        }
        f.write_str("did you mean ")?;
        for (at, name) in near.iter().enumerate() {
            let before = if at == 0 { "" } else { " or " };
            write!(f, "{before}`{name}`")?;
        }
        f.write_str("?")
    }
}

impl fmt::Debug for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NotRegistered {}

impl Rejection {
    /// A word for events and metrics: `timeout`, `deadline`, `breaker_open`, `bulkhead_full`,
    /// `injected`, `shed`, `rate_limited`, `not_registered` or `idempotency`.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Rejection;
    /// use std::time::Duration;
    ///
    /// let late = Rejection::DeadlineExceeded { after: Duration::from_secs(15) };
    /// assert_eq!(late.kind(), "deadline");
    /// ```
    pub const fn kind(&self) -> &'static str {
        match self {
            Rejection::TimedOut { .. } => "timeout",
            Rejection::DeadlineExceeded { .. } => "deadline",
            Rejection::BreakerOpen { .. } => "breaker_open",
            Rejection::BulkheadFull { .. } => "bulkhead_full",
            Rejection::Shed { .. } => "shed",
            Rejection::RateLimited { .. } => "rate_limited",
            Rejection::Injected => "injected",
            Rejection::NotRegistered(_) => "not_registered",
            #[cfg(feature = "idempotency")]
            Rejection::Idempotency(_) => "idempotency",
        }
    }

    /// How long to wait before the same call has a chance, where that is known.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::{Name, Rejection};
    /// use resilient::breaker::BreakerState;
    /// use std::time::Duration;
    ///
    /// let open = Rejection::BreakerOpen {
    ///     dependency: Name::new("payment")?,
    ///     key: None,
    ///     state: BreakerState::Open,
    ///     retry_in: Duration::from_secs(3),
    ///     reason: None,
    /// };
    /// assert_eq!(open.retry_in(), Some(Duration::from_secs(3)));
    /// # Ok::<(), resilient::invalid::InvalidSetting>(())
    /// ```
    pub const fn retry_in(&self) -> Option<Duration> {
        match self {
            Rejection::BreakerOpen { retry_in, .. } | Rejection::RateLimited { retry_in, .. }
                if !is_unknown(*retry_in) =>
            {
                Some(*retry_in)
            }
            #[cfg(feature = "idempotency")]
            Rejection::Idempotency(refusal) => refusal.retry_in(),
            _ => None,
        }
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Rejection {
    /// An attempt cut by its timeout is transient, and so is an injected failure, which stands for one
    /// of the dependency's; every other rejection was made on the spot,
    /// says nothing about the dependency and is not retried.
    fn class(&self) -> Class {
        match self {
            Rejection::TimedOut { .. } | Rejection::Injected => Class::transient(),
            _ => Class::Ignored,
        }
    }

    fn kind(&self) -> &'static str {
        Rejection::kind(self)
    }
}

impl From<Rejection> for io::Error {
    /// Keeps the rejection inside, so that [`io::Error::get_ref`] finds it and its class stays
    /// what it was. The kind is the nearest one: [`TimedOut`](io::ErrorKind::TimedOut) for
    /// timeout and deadline, [`ConnectionRefused`](io::ErrorKind::ConnectionRefused) for an open
    /// breaker, [`ResourceBusy`](io::ErrorKind::ResourceBusy) for a full bulkhead and for what a
    /// throttle sheds or a rate limiter refuses.
    fn from(rejection: Rejection) -> Self {
        let kind = match rejection {
            Rejection::TimedOut { .. } | Rejection::DeadlineExceeded { .. } => {
                io::ErrorKind::TimedOut
            }
            Rejection::BreakerOpen { .. } => io::ErrorKind::ConnectionRefused,
            Rejection::BulkheadFull { .. }
            | Rejection::Shed { .. }
            | Rejection::RateLimited { .. } => io::ErrorKind::ResourceBusy,
            Rejection::Injected | Rejection::NotRegistered(_) => io::ErrorKind::Other,
            #[cfg(feature = "idempotency")]
            Rejection::Idempotency(_) => io::ErrorKind::Other,
        };
        io::Error::new(kind, rejection)
    }
}

const fn is_unknown(retry_in: Duration) -> bool {
    retry_in.as_secs() == u64::MAX
}

/// Keys come from outside and are shown, so that their text must not break out of the line.
fn for_key(key: Option<&BreakerKey>) -> String {
    key.map_or_else(String::new, |key| format!(" for `{}`", key.escape_debug()))
}

fn because(reason: Option<&Reason>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

fn again(retry_in: Duration) -> String {
    if is_unknown(retry_in) {
        "try again when an operator lifts it".to_owned()
    } else if retry_in.is_zero() {
        "try again now".to_owned()
    } else {
        format!("try again in {:?}", rounded_up(retry_in))
    }
}

/// Whole milliseconds: whoever waits that long must not be early.
fn rounded_up(time: Duration) -> Duration {
    let millis = time.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

fn of_limit(limit: Option<&Name>) -> String {
    limit.map_or_else(String::new, |limit| format!(" (`{limit}`)"))
}

fn room(retry_in: Duration) -> String {
    if is_unknown(retry_in) {
        "has no room for this".to_owned()
    } else {
        format!("has room for this in {:?}", rounded_up(retry_in))
    }
}

fn waited_for(waited: Duration) -> String {
    if waited.is_zero() {
        " and no place in the queue".to_owned()
    } else {
        format!(", none done within {waited:?}")
    }
}

#[cfg(test)]
mod tests;
