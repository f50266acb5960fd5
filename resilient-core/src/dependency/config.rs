//! What is registered at startup under a dependency's name.

use std::time::Duration;

use crate::breaker::{Breaker, BreakerSettings};
use crate::budget::{Budget, BudgetSettings};
use crate::bulkhead::{Bulkhead, BulkheadSettings};
use crate::classify::{IoKinds, Rules, StatusClasses};
use crate::duration::{GivenDuration, IntoDuration};
use crate::hedge::{Hedge, HedgeSettings};
use crate::invalid::InvalidSetting;
use crate::name::Name;
use crate::retry::{Retry, RetrySettings};
use crate::throttle::{Throttle, ThrottleSettings};

/// The policies of one dependency, to be registered once at startup.
///
/// A bare `Dependency::named("x")` already has all of them but a throttle, with these values:
///
/// | part | default |
/// |---|---|
/// | retry | 3 attempts, equal jitter, base 600 ms, factor 2, cap 5 s |
/// | timeout of an attempt | 5 s, or a shorter deadline |
/// | deadline of a call | 18 s, or room for three longer timeouts |
/// | budget | retries at most 30 % of the answered attempts of the last 10 s, plus 3 |
/// | breaker | opens at 70 % failures of at least 20 attempts in 10 s; with fewer, at 7 in a row within 60 s that last at least 3 s; open 5 s, 2 probes, closes after 2 successes |
/// | throttle | none |
/// | bulkhead | 64 at a time, no queue |
/// | hedge, where a site asks for one | a second copy after the 95th percentile of the site's recent successes, at least 10 ms |
///
/// Setters never fail: what cannot work is reported by `register`, all at once.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
/// use resilient::bulkhead::Bulkhead;
/// use resilient::budget::Budget;
/// use resilient::retry::{Jitter, Retry};
/// use resilient::Dependency;
///
/// let payment = Dependency::named("payment")
///     .breaker(Breaker::consecutive(5).within("10s").open_for("30s").close_after(2))
///     .bulkhead(Bulkhead::max_concurrent(10).max_queue(20).max_wait("1s"))
///     .budget(Budget::tokens(100).refill_per_success(0.1))
///     .retry(Retry::max(4).base("100ms").cap("20s").jitter(Jitter::Full))
///     .timeout("5s")
///     .deadline("15s");
/// assert!(payment.settings().is_ok());
///
/// let wrong = Dependency::named("pay ment").timeout("5").deadline("0s");
/// assert_eq!(wrong.settings().unwrap_err().len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Dependency {
    name: String,
    retry: Retry,
    breaker: Breaker,
    budget: Budget,
    throttle: Option<Throttle>,
    bulkhead: Bulkhead,
    hedge: Hedge,
    timeout: Limit,
    deadline: Limit,
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Limit {
    Default,
    Given(GivenDuration),
    Off,
}

impl Dependency {
    /// A dependency with the default policies, see the table above.
    ///
    /// Names have 1 to 128 letters, digits, `.`, `_` and `-`.
    pub fn named(name: impl Into<String>) -> Self {
        Dependency {
            name: name.into(),
            retry: Retry::default(),
            breaker: Breaker::default(),
            budget: Budget::default(),
            throttle: None,
            bulkhead: Bulkhead::default(),
            hedge: Hedge::default(),
            timeout: Limit::Default,
            deadline: Limit::Default,
            rules: Rules::default(),
        }
    }

    /// How failed attempts are repeated. [`Retry::never`] turns retries off.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// When calls are failed fast. [`Breaker::disabled`] never does.
    #[must_use]
    pub fn breaker(mut self, breaker: Breaker) -> Self {
        self.breaker = breaker;
        self
    }

    /// How much retries may add to the load. [`Budget::unlimited`] sets no bound.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// How much may be asked of the dependency for what it accepts; there is no throttle unless one
    /// is written.
    ///
    /// Calls use it that name the whole dependency: `dependency = ".."`, or a
    /// `Policy`.
    #[must_use]
    pub fn throttle(mut self, throttle: Throttle) -> Self {
        self.throttle = Some(throttle);
        self
    }

    /// How many attempts may run at a time. [`Bulkhead::unlimited`] sets no bound.
    #[must_use]
    pub fn bulkhead(mut self, bulkhead: Bulkhead) -> Self {
        self.bulkhead = bulkhead;
        self
    }

    /// When slow attempts get further copies, at the call sites that ask for that with `hedge`.
    #[must_use]
    pub fn hedge(mut self, hedge: Hedge) -> Self {
        self.hedge = hedge;
        self
    }

    /// How long one attempt may take, more than zero.
    #[must_use]
    pub fn timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.timeout = Limit::Given(timeout.into_duration());
        self
    }

    /// Lets an attempt take as long as the call.
    #[must_use]
    pub fn no_timeout(mut self) -> Self {
        self.timeout = Limit::Off;
        self
    }

    /// How long a call may take with all its attempts, sleeps and queues, more than zero.
    #[must_use]
    pub fn deadline(mut self, deadline: impl IntoDuration) -> Self {
        self.deadline = Limit::Given(deadline.into_duration());
        self
    }

    /// Lets a call take as long as its attempts and sleeps add up to.
    #[must_use]
    pub fn no_deadline(mut self) -> Self {
        self.deadline = Limit::Off;
        self
    }

    /// What HTTP status codes mean, for the ready-made classifications.
    #[must_use]
    pub fn statuses(mut self, statuses: StatusClasses) -> Self {
        self.rules.statuses = statuses;
        self
    }

    /// What kinds of I/O errors mean, for the ready-made classifications.
    #[must_use]
    pub fn io_kinds(mut self, io_kinds: IoKinds) -> Self {
        self.rules.io_kinds = io_kinds;
        self
    }

    /// The numbers with defaults filled in, or everything that cannot work.
    pub fn settings(&self) -> Result<DependencySettings, Vec<InvalidSetting>> {
        let mut problems = Vec::new();
        let name = collect(
            &mut problems,
            Name::new(&self.name).map_err(|problem| vec![problem]),
        );
        let retry = collect(&mut problems, self.retry.settings());
        let breaker = collect(&mut problems, self.breaker.settings());
        let budget = collect(&mut problems, self.budget.settings());
        let throttle = self.throttle.as_ref().map(Throttle::settings).transpose();
        let throttle = collect(&mut problems, throttle);
        let bulkhead = collect(&mut problems, self.bulkhead.settings());
        let hedge = collect(&mut problems, self.hedge.settings());
        let timeout = collect(&mut problems, self.timeout.settings("timeout"));
        let deadline = collect(&mut problems, self.deadline.settings("deadline"));
        problems.extend(self.rules.validate());
        let (timeout, deadline) = match (timeout, deadline) {
            (Some(timeout), Some(deadline)) => self.limits(timeout, deadline, &mut problems),
            _ => (None, None),
        };
        match (name, retry, breaker, budget, throttle, bulkhead, hedge) {
            (
                Some(name),
                Some(retry),
                Some(breaker),
                Some(budget),
                Some(throttle),
                Some(bulkhead),
                Some(hedge),
            ) if problems.is_empty() => Ok(DependencySettings {
                name,
                retry,
                breaker,
                budget,
                throttle,
                bulkhead,
                hedge,
                timeout,
                deadline,
                rules: self.rules.clone(),
            }),
            _ => Err(problems),
        }
    }

    /// Fills in the defaults, which give way to what was given.
    fn limits(
        &self,
        timeout: Option<Duration>,
        deadline: Option<Duration>,
        problems: &mut Vec<InvalidSetting>,
    ) -> (Option<Duration>, Option<Duration>) {
        match (&self.timeout, &self.deadline) {
            (Limit::Default, Limit::Default) => (Some(TIMEOUT), Some(DEADLINE)),
            (Limit::Default, _) => {
                let timeout = deadline.map_or(TIMEOUT, |deadline| TIMEOUT.min(deadline));
                (Some(timeout), deadline)
            }
            (_, Limit::Default) => {
                let deadline = timeout.map_or(DEADLINE, |timeout| DEADLINE.max(room_for(timeout)));
                (timeout, Some(deadline))
            }
            _ => {
                if let (Some(timeout), Some(deadline)) = (timeout, deadline)
                    && timeout > deadline
                {
                    problems.push(InvalidSetting::new(
                        "timeout",
                        "timeout",
                        format_args!("{timeout:?}"),
                        format!(
                            "is longer than the deadline of the whole call ({deadline:?}) and \
                             could never fire: shorten it, or lengthen the deadline"
                        ),
                    ));
                }
                (timeout, deadline)
            }
        }
    }

    #[cfg(feature = "runtime")]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// One attempt, unless something else is said.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A whole call, unless something else is said.
const DEADLINE: Duration = Duration::from_secs(18);

/// A deadline under which three attempts may run into such a timeout, with what the default
/// waits between them take at most, and a second more.
fn room_for(timeout: Duration) -> Duration {
    timeout
        .saturating_mul(3)
        .saturating_add(Duration::from_secs(3))
}

fn collect<T>(
    problems: &mut Vec<InvalidSetting>,
    result: Result<T, Vec<InvalidSetting>>,
) -> Option<T> {
    result.map_err(|found| problems.extend(found)).ok()
}

impl Limit {
    fn settings(&self, policy: &'static str) -> Result<Option<Duration>, Vec<InvalidSetting>> {
        match self {
            Limit::Off | Limit::Default => Ok(None),
            Limit::Given(given) => match given.get() {
                Ok(Duration::ZERO) => Err(vec![InvalidSetting::new(
                    policy,
                    policy,
                    given,
                    format!("must be longer than zero; for no {policy} call `no_{policy}`"),
                )]),
                Ok(duration) => Ok(Some(duration)),
                Err(error) => Err(vec![InvalidSetting::new(
                    policy,
                    policy,
                    given,
                    error.to_string(),
                )]),
            },
        }
    }
}

/// A dependency's numbers, checked and complete.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DependencySettings {
    /// The name call sites use.
    pub name: Name,
    /// How failed attempts are repeated.
    pub retry: RetrySettings,
    /// When calls are failed fast.
    pub breaker: BreakerSettings,
    /// How much retries may add to the load.
    pub budget: BudgetSettings,
    /// How much may be asked for what is accepted, if that is limited.
    pub throttle: Option<ThrottleSettings>,
    /// How many attempts may run at a time.
    pub bulkhead: BulkheadSettings,
    /// When slow attempts get further copies, where a site asks for that.
    pub hedge: HedgeSettings,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long a call may take.
    pub deadline: Option<Duration>,
    /// What statuses and I/O errors mean.
    pub rules: Rules,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_limit_gives_way_to_a_given_one() {
        let named = || Dependency::named("x");
        let ms = |millis| Some(Duration::from_millis(millis));
        let rows = [
            (named(), ms(5_000), ms(18_000)),
            (named().deadline("1s"), ms(1_000), ms(1_000)),
            (named().deadline("60s"), ms(5_000), ms(60_000)),
            (named().timeout("20s"), ms(20_000), ms(63_000)),
            (named().timeout("800ms"), ms(800), ms(18_000)),
            (named().no_timeout(), None, ms(18_000)),
            (named().no_deadline(), ms(5_000), None),
            (named().timeout("20s").no_deadline(), ms(20_000), None),
            (named().timeout("2s").deadline("2s"), ms(2_000), ms(2_000)),
        ];
        for (dependency, timeout, deadline) in rows {
            let settings = dependency.settings().expect("the limits fit");
            assert_eq!((settings.timeout, settings.deadline), (timeout, deadline));
        }
        let crossed = named().timeout("3s").deadline("2s").settings();
        assert_eq!(crossed.expect_err("both were given")[0].setting, "timeout");
    }
}
