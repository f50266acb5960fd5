//! What a user writes about a breaker.

use super::settings::{BreakerSettings, Mode, OnTransition, Per};
use super::transition::Transition;
use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::InvalidSetting;

mod checked;

/// When a breaker opens, for how long, and how it closes again.
///
/// Setters never fail; [`settings`](Breaker::settings), which registering calls, reports
/// everything that is wrong at once.
///
/// There are three rules. [`failure_rate`](Breaker::failure_rate) judges the share of failures in
/// a sliding window, [`consecutive`](Breaker::consecutive) failures in a row; together, the second
/// one judges while the first has seen too few attempts to say anything.
/// [`slow_calls`](Breaker::slow_calls) judges the share of slow attempts in the same window, beside
/// the others or alone. `Breaker::default()` has the first two: at least 70 % failures of at least
/// 20 attempts in 10 seconds, and with fewer attempts 7 failures in a row within a minute that span
/// at least 3 seconds; its numbers can be set one by one. A breaker that is made of one rule has
/// that rule alone, and a number of another is an error. A rule is judged on every outcome that
/// counts, successes included, and its threshold is reached by "at least".
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let by_run = Breaker::consecutive(5).within("10s").open_for("30s").close_after(2);
/// assert!(by_run.settings().is_ok());
///
/// let by_rate = Breaker::failure_rate(0.5).min_attempts(10).window("30s");
/// assert!(by_rate.settings().is_ok());
///
/// let by_share_of_a_hundred = Breaker::failure_rate(0.5).min_attempts(10).count_window(100);
/// assert!(by_share_of_a_hundred.settings().is_ok());
///
/// let wrong = Breaker::failure_rate(50.0).open_for("30");
/// assert_eq!(wrong.settings().unwrap_err().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a breaker does nothing until it is registered"]
pub struct Breaker {
    mode: Mode,
    failure_rate: Option<f64>,
    slow_calls: Option<(f64, GivenDuration)>,
    /// Made of the rule of slow calls: no other rule is there unless it was asked for.
    of_slow_calls: bool,
    min_attempts: Option<u32>,
    window: Option<GivenDuration>,
    count_window: Option<u32>,
    consecutive: Option<u32>,
    within: Option<GivenDuration>,
    spanning: Option<GivenDuration>,
    open_for: Option<GivenDuration>,
    growth: Option<(f64, GivenDuration)>,
    probes: Option<u32>,
    close_after: Option<u32>,
    count_throttled: Option<bool>,
    drop_counts_after: Option<GivenDuration>,
    per: Option<Per>,
    on_transition: Option<OnTransition>,
    keys: Option<u32>,
}

impl Breaker {
    /// Opens after `failures` in a row: at least 1.
    ///
    /// A success ends the run. Without [`within`](Breaker::within) the failures must lie within
    /// 60 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).within("10s");
    /// assert_eq!(breaker.settings().unwrap().failure_rate, None);
    /// ```
    pub fn consecutive(failures: u32) -> Self {
        Breaker {
            consecutive: Some(failures),
            ..Breaker::default()
        }
    }

    /// Opens when at least this share of the attempts in the window failed: above 0, at most 1.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::failure_rate(0.5).min_attempts(10).window("30s");
    /// assert_eq!(breaker.settings().unwrap().consecutive, None);
    /// ```
    pub fn failure_rate(share: f64) -> Self {
        Breaker {
            failure_rate: Some(share),
            ..Breaker::default()
        }
    }

    /// Opens when at least this share of the attempts in the window took longer than
    /// `longer_than`: the share above 0, at most 1, the time above zero.
    ///
    /// A slow attempt is slow whether it succeeds or fails, one that takes exactly that time is
    /// not, and one that counts nowhere as an outcome does not count here either. The time is that
    /// of the attempt from where its timeout runs, when it is first pending, so that a body that is
    /// ready at once is never slow and no clock is read for it. An attempt that is cut by its
    /// timeout took that long: a time that is not shorter than the timeout finds nothing slow.
    /// With [`per`](Breaker::per) [`Per::Call`] it is the time of the call's last attempt.
    ///
    /// A slow probe is a failed one, even if it succeeds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::slow_calls(0.5, "2s").min_attempts(10).window("30s");
    /// assert_eq!(breaker.settings().unwrap().failure_rate, None);
    /// ```
    pub fn slow_calls(share: f64, longer_than: impl IntoDuration) -> Self {
        Breaker {
            of_slow_calls: true,
            ..Breaker::default().or_slow_calls(share, longer_than)
        }
    }

    /// Admits every call and counts nothing.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, Mode};
    ///
    /// assert_eq!(Breaker::disabled().settings().unwrap().mode, Mode::Disabled);
    /// ```
    pub fn disabled() -> Self {
        Breaker {
            mode: Mode::Disabled,
            ..Breaker::default()
        }
    }

    /// Admits every call and only announces when it would have opened, as an operator's
    /// `BreakerControl::observe` makes it: for a dependency whose numbers are still to be found.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, BreakerState};
    /// use resilient::{Dependency, Registry};
    ///
    /// let registry = Registry::new();
    /// let breaker = Breaker::consecutive(5).observing();
    /// registry.register(Dependency::named("payment").breaker(breaker))?;
    /// assert_eq!(registry.breaker("payment")?.state(), BreakerState::Observing);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observing(mut self) -> Self {
        self.mode = Mode::Observing;
        self
    }

    /// Adds the rule of [`consecutive`](Breaker::consecutive), for as long as the failure rate's
    /// window holds fewer than [`min_attempts`](Breaker::min_attempts).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::failure_rate(0.5).or_consecutive(5).within("10s");
    /// let settings = breaker.settings().unwrap();
    /// assert!(settings.failure_rate.is_some() && settings.consecutive.is_some());
    /// ```
    pub fn or_consecutive(mut self, failures: u32) -> Self {
        self.consecutive = Some(failures);
        self
    }

    /// Adds the rule of [`failure_rate`](Breaker::failure_rate), which then judges alone once its
    /// window holds [`min_attempts`](Breaker::min_attempts).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).within("10s").or_failure_rate(0.5);
    /// let settings = breaker.settings().unwrap();
    /// assert!(settings.failure_rate.is_some() && settings.consecutive.is_some());
    /// ```
    pub fn or_failure_rate(mut self, share: f64) -> Self {
        self.failure_rate = Some(share);
        self
    }

    /// Adds the rule of [`slow_calls`](Breaker::slow_calls), in the same window as the failure
    /// rate.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::default().or_slow_calls(0.8, "2s").settings().unwrap();
    /// assert!(settings.failure_rate.is_some() && settings.slow_calls.is_some());
    /// ```
    pub fn or_slow_calls(mut self, share: f64, longer_than: impl IntoDuration) -> Self {
        self.slow_calls = Some((share, longer_than.into_duration()));
        self
    }

    /// How many attempts the window must hold before a rate is judged: at least 1, and no more
    /// than a [`count_window`](Breaker::count_window) holds; default 20, or as many as that holds.
    /// Probes are judged whatever this is.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::failure_rate(0.5).min_attempts(50).settings().unwrap();
    /// assert_eq!(settings.failure_rate.unwrap().min_attempts, 50);
    /// ```
    pub fn min_attempts(mut self, attempts: u32) -> Self {
        self.min_attempts = Some(attempts);
        self
    }

    /// How far back attempts count for the rates: default 10 seconds. The window moves in tenths
    /// of its length.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, Window};
    /// use std::time::Duration;
    ///
    /// let settings = Breaker::failure_rate(0.5).window("1min").settings().unwrap();
    /// let minute = Window::Time(Duration::from_secs(60));
    /// assert_eq!(settings.failure_rate.unwrap().window, minute);
    /// ```
    pub fn window(mut self, window: impl IntoDuration) -> Self {
        self.window = Some(window.into_duration());
        self
    }

    /// How many attempts count for the rates, whenever they were, in place of a
    /// [`window`](Breaker::window) of time: 1 to 1,000,000. Each outcome that counts pushes out the
    /// oldest.
    ///
    /// The order of the attempts is the one their outcomes came in. Successes between two failures
    /// are counted together when the second one comes, which is the same: they differ in nothing.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, Window};
    ///
    /// let breaker = Breaker::failure_rate(0.5).min_attempts(10).count_window(100);
    /// let rule = breaker.settings().unwrap().failure_rate.unwrap();
    /// assert_eq!((rule.min_attempts, rule.window), (10, Window::Count(100)));
    /// ```
    pub fn count_window(mut self, attempts: u32) -> Self {
        self.count_window = Some(attempts);
        self
    }

    /// How far back failures in a row count: default 60 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).within("10s").settings().unwrap();
    /// assert_eq!(settings.consecutive.unwrap().within.as_secs(), 10);
    /// ```
    pub fn within(mut self, within: impl IntoDuration) -> Self {
        self.within = Some(within.into_duration());
        self
    }

    /// How far apart the first and the last of the failures in a row must be, so that one bad
    /// moment that hits many calls at once is not taken for a broken dependency. Shorter than
    /// [`within`](Breaker::within); default zero, of `Breaker::default()` 3 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).spanning("3s").settings().unwrap();
    /// assert_eq!(settings.consecutive.unwrap().spanning.as_secs(), 3);
    /// ```
    pub fn spanning(mut self, spanning: impl IntoDuration) -> Self {
        self.spanning = Some(spanning.into_duration());
        self
    }

    /// How long calls are refused before probes are admitted: default 5 seconds. Each opening
    /// takes this time give or take up to 20 %, so that many processes do not probe in step.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).open_for("30s").settings().unwrap();
    /// assert_eq!(settings.open_for.as_secs(), 30);
    /// ```
    pub fn open_for(mut self, open_for: impl IntoDuration) -> Self {
        self.open_for = Some(open_for.into_duration());
        self
    }

    /// Makes each open time `factor` times the one before, `max` at most, until the breaker has
    /// been closed for a whole window: `open_for * factor^n` for the n-th opening in a row, then
    /// the jitter of [`open_for`](Breaker::open_for). Default: no growth.
    ///
    /// The whole window is that of every rule it has: the time they look back, and of a
    /// [`count_window`](Breaker::count_window) more attempts than it holds, so that a full one did
    /// not open it.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).open_for("5s").growth(2.0, "1min");
    /// assert!(breaker.settings().is_ok());
    /// ```
    pub fn growth(mut self, factor: f64, max: impl IntoDuration) -> Self {
        self.growth = Some((factor, max.into_duration()));
        self
    }

    /// How many probes run at a time while half-open: at least 1, default 2.
    ///
    /// A probe that has not ended one second after its attempt's timeout (without a timeout: after
    /// [`open_for`](Breaker::open_for)) has lost its place to the next one. Its outcome counts all
    /// the same for as long as the breaker is half-open. So calls that may take longer than the open
    /// time had better have a timeout: without one, more than `probes` of them may be running.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).probes(1).settings().unwrap();
    /// assert_eq!(settings.probes, 1);
    /// ```
    pub fn probes(mut self, probes: u32) -> Self {
        self.probes = Some(probes);
        self
    }

    /// How many successful probes close the breaker: at least 1, default 2.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).close_after(3).settings().unwrap();
    /// assert_eq!(settings.close_after, 3);
    /// ```
    pub fn close_after(mut self, successes: u32) -> Self {
        self.close_after = Some(successes);
        self
    }

    /// Whether a throttled attempt (HTTP 429) is a failure. By default it is not counted at all:
    /// a dependency that asks for patience works.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).count_throttled(true).settings().unwrap();
    /// assert!(settings.count_throttled);
    /// ```
    pub fn count_throttled(mut self, count: bool) -> Self {
        self.count_throttled = Some(count);
        self
    }

    /// A call that is dropped counts as a failure if its attempt had run longer than this, so that
    /// impatient callers do not hide a dependency that hangs. Default: half of the attempt's
    /// timeout; without a timeout a dropped call never counts.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).drop_counts_after("2s").settings().unwrap();
    /// assert_eq!(settings.drop_counts_after.unwrap().as_secs(), 2);
    /// ```
    pub fn drop_counts_after(mut self, age: impl IntoDuration) -> Self {
        self.drop_counts_after = Some(age.into_duration());
        self
    }

    /// Whether each attempt (the default) or each call as a whole is admitted and judged.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, Per};
    ///
    /// let settings = Breaker::consecutive(5).per(Per::Call).settings().unwrap();
    /// assert_eq!(settings.per, Per::Call);
    /// ```
    pub fn per(mut self, per: Per) -> Self {
        self.per = Some(per);
        self
    }

    /// Calls `listener` once for every change of state, in order.
    ///
    /// It runs in the task whose outcome or admission made the change, or in one that was already
    /// telling an earlier one. It may use the same breaker; it should not block. A panic in it is
    /// caught and changes nothing. A later call of this setter replaces the listener.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5)
    ///     .on_transition(|transition| println!("{} -> {}", transition.from, transition.to));
    /// # assert!(breaker.settings().is_ok());
    /// ```
    pub fn on_transition(mut self, listener: impl Fn(&Transition) + Send + Sync + 'static) -> Self {
        self.on_transition = Some(OnTransition::new(listener));
        self
    }

    /// How many keys can have a breaker of their own, where calls say `breaker(key = ..)`: 1 to
    /// 100,000, default 1,000.
    ///
    /// One more key takes the place of another, whose counts are forgotten: of the key that was not
    /// called for longest among those that are closed and have no call in progress. Only without
    /// such a one it is among those with calls in progress, then among those that refuse calls, and
    /// last among those that an operator forced. A breaker that was not called for so long that nothing
    /// is left in its windows goes by itself.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).keys(64).settings().unwrap();
    /// assert_eq!(settings.keys, 64);
    /// ```
    pub fn keys(mut self, most: u32) -> Self {
        self.keys = Some(most);
        self
    }

    /// The numbers with defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, all at once.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let errors = Breaker::consecutive(0).probes(0).settings().unwrap_err();
    /// assert_eq!(errors[0].setting, "consecutive");
    /// assert_eq!(errors[1].setting, "probes");
    /// ```
    pub fn settings(&self) -> Result<BreakerSettings, Vec<InvalidSetting>> {
        self.checked()
    }
}

#[cfg(test)]
mod tests;
