//! A breaker's numbers, checked and complete.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Transition;

/// A breaker's numbers, checked and with the defaults filled in; see
/// [`Breaker`](super::Breaker) for what they mean.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
/// use std::time::Duration;
///
/// let settings = Breaker::default().settings().expect("the defaults are valid");
/// assert_eq!(settings.open_for, Duration::from_secs(5));
/// assert_eq!(settings.failure_rate.map(|rule| rule.min_attempts), Some(20));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BreakerSettings {
    /// Whether the breaker refuses calls, only says when it would, or does nothing at all.
    pub mode: Mode,
    /// Opens by the share of failures.
    pub failure_rate: Option<RateRule>,
    /// Opens by the share of slow attempts.
    pub slow_calls: Option<SlowRule>,
    /// Opens by failures in a row; beside a rate rule it judges only while the rate rule's window
    /// holds fewer than its minimum.
    pub consecutive: Option<ConsecutiveRule>,
    /// How long calls are refused, before jitter.
    pub open_for: Duration,
    /// How the open time grows when the breaker opens again and again.
    pub growth: Option<Growth>,
    /// How many probes run at a time while half-open.
    pub probes: u32,
    /// How many successful probes close the breaker.
    pub close_after: u32,
    /// Whether a throttled attempt is a failure; otherwise it is not counted.
    pub count_throttled: bool,
    /// A call dropped after its attempt ran longer than this is a failure; `None` means half of
    /// the attempt's timeout.
    pub drop_counts_after: Option<Duration>,
    /// What one verdict is about.
    pub per: Per,
    /// Told about every change of state.
    pub on_transition: Option<OnTransition>,
    /// How many keys have a breaker of their own, at most.
    pub keys: u32,
}

#[cfg(feature = "runtime")]
impl BreakerSettings {
    /// How far back the rules look, as far as that is a matter of time.
    pub(crate) fn look_back(&self) -> Duration {
        let windows = [
            self.failure_rate.map(|rule| rule.window),
            self.slow_calls.map(|rule| rule.window),
        ];
        let rates = windows.into_iter().flatten().map(|window| match window {
            Window::Time(length) => length,
            Window::Count(_) => Duration::ZERO,
        });
        let run = self.consecutive.map(|rule| rule.within);
        rates.chain(run).max().unwrap_or_default()
    }
}

/// What a breaker does when an operator has not forced anything else.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::{Breaker, Mode};
///
/// assert_eq!(Breaker::default().settings().unwrap().mode, Mode::Enabled);
/// assert_eq!(Breaker::disabled().settings().unwrap().mode, Mode::Disabled);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Opens and closes by its rules.
    #[default]
    Enabled,
    /// Admits every call and only announces when it would have opened.
    Observing,
    /// Admits every call and counts nothing.
    Disabled,
}

/// Which attempts a rate is a share of.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::{Breaker, Window};
///
/// let rule = Breaker::failure_rate(0.5).count_window(100).settings().unwrap().failure_rate;
/// assert_eq!(rule.map(|rule| rule.window), Some(Window::Count(100)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Window {
    /// Those of the last so much time; the oldest tenth of it leaves at once.
    Time(Duration),
    /// The last so many that were counted; each new one pushes out the oldest.
    Count(u32),
}

/// Opens when a share of at least `threshold` of at least `min_attempts` in the `window` failed.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let rule = Breaker::failure_rate(0.5).settings().unwrap().failure_rate.unwrap();
/// assert_eq!((rule.threshold, rule.min_attempts), (0.5, 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RateRule {
    /// The share of failures, above 0 and at most 1.
    pub threshold: f64,
    /// Fewer attempts than this are not judged.
    pub min_attempts: u32,
    /// Which attempts count.
    pub window: Window,
}

/// Opens when a share of at least `threshold` of at least `min_attempts` in the `window` took
/// longer than `longer_than`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let rule = Breaker::slow_calls(0.5, "2s").settings().unwrap().slow_calls.unwrap();
/// assert_eq!((rule.threshold, rule.longer_than.as_secs()), (0.5, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlowRule {
    /// The share of slow attempts, above 0 and at most 1.
    pub threshold: f64,
    /// An attempt is slow if it takes longer than this, whether it succeeds or fails.
    pub longer_than: Duration,
    /// Fewer attempts than this are not judged.
    pub min_attempts: u32,
    /// Which attempts count.
    pub window: Window,
}

#[cfg(feature = "runtime")]
impl SlowRule {
    /// The same about what is slow, not about how slow that is.
    pub(crate) fn rate(&self) -> RateRule {
        RateRule {
            threshold: self.threshold,
            min_attempts: self.min_attempts,
            window: self.window,
        }
    }
}

/// Opens after `failures` in a row, if they happened within `within` and the first and
/// the last of them are at least `spanning` apart.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let rule = Breaker::consecutive(5).settings().unwrap().consecutive.unwrap();
/// assert_eq!((rule.failures, rule.within.as_secs()), (5, 60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsecutiveRule {
    /// How many failures without a success in between.
    pub failures: u32,
    /// How far back failures count.
    pub within: Duration,
    /// How far apart the first and the last of them must be at least.
    pub spanning: Duration,
}

/// Each time the breaker opens before it has been closed for a whole window, its open time is
/// `factor` times the one before, up to `max`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let growth = Breaker::consecutive(5).growth(2.0, "1min").settings().unwrap().growth;
/// assert_eq!(growth.map(|growth| growth.factor), Some(2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Growth {
    /// At least 1.
    pub factor: f64,
    /// The longest open time, before jitter.
    pub max: Duration,
}

/// What one verdict of the breaker is about.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::{Breaker, Per};
///
/// assert_eq!(Breaker::default().settings().unwrap().per, Per::Attempt);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Per {
    /// Each attempt is admitted and judged by itself.
    #[default]
    Attempt,
    /// A call is admitted once, before its first attempt, and judged by its last outcome.
    Call,
}

/// A function that is told about every change of a breaker's state, made by
/// [`Breaker::on_transition`](super::Breaker::on_transition).
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let breaker = Breaker::consecutive(5).on_transition(|_| {});
/// assert!(breaker.settings().unwrap().on_transition.is_some());
/// ```
#[derive(Clone)]
pub struct OnTransition(Arc<dyn Fn(&Transition) + Send + Sync>);

impl OnTransition {
    pub(crate) fn new(listener: impl Fn(&Transition) + Send + Sync + 'static) -> Self {
        OnTransition(Arc::new(listener))
    }

    #[cfg(feature = "runtime")]
    pub(crate) fn tell(&self, transition: &Transition) {
        (self.0)(transition);
    }
}

impl fmt::Debug for OnTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnTransition(..)")
    }
}

/// Two are equal if one is a clone of the other.
impl PartialEq for OnTransition {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
