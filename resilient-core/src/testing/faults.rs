//! Faults to order, for tests and game days.

use std::collections::HashMap;
use std::time::Duration;

use arc_swap::ArcSwapOption;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};
use crate::seam::random::Random;

/// What goes wrong with the attempts on which dependencies or at which call sites, how often.
///
/// [`Registry::inject`](crate::Registry::inject) puts them in force. They stand where the dependency
/// would: behind breaker and bulkhead, under the attempt's timeout, in place of the body or before
/// it. Each attempt draws once; what it draws follows from the seed and the order of the attempts.
///
/// Only with the feature `faults`, which costs a look at a shared word for each attempt and a pointer in
/// each call. Without the feature there is nothing to switch on.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use resilient::testing::{Fault, Faults};
/// use resilient::{Dependency, Registry, Rejection};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("clock"))?;
/// registry.inject(Faults::seeded(7).at("clock", Fault::errors(1.0)))?;
/// let clock = registry.policy("clock")?.not_idempotent();
/// let failed = clock.call(|| async { Ok::<_, Rejection>("12:00") }).await;
/// assert_eq!(failed, Err(Rejection::Injected));
///
/// registry.inject(Faults::none())?;
/// assert!(clock.call(|| async { Ok::<_, Rejection>("12:00") }).await.is_ok());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Faults {
    random: Random,
    at: Vec<(String, Fault)>,
}

/// What goes wrong at one place. The shares are of all attempts there, and exclude each other.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Fault {
    errors: f64,
    slow: f64,
    latency: Option<GivenDuration>,
    hangs: f64,
}

impl Faults {
    /// None, from the seed that decides which attempts are hit.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let faults = Faults::seeded(7).at("payment", Fault::errors(0.1));
    /// assert!(resilient::Registry::new().inject(faults).is_ok());
    /// ```
    pub fn seeded(seed: u64) -> Self {
        Faults {
            random: Random::seeded(seed),
            at: Vec::new(),
        }
    }

    /// None: ends those in force.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::Faults;
    ///
    /// assert!(resilient::Registry::new().inject(Faults::none()).is_ok());
    /// ```
    pub fn none() -> Self {
        Faults {
            random: Random::default(),
            at: Vec::new(),
        }
    }

    /// Adds faults at a place: the name of a dependency, for every call site that names it, or that
    /// of one call site, which then has these alone. Of several dependencies of a site the first one
    /// added counts.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let faults = Faults::seeded(7)
    ///     .at("payment", Fault::errors(0.1))
    ///     .at("shop::refund", Fault::hangs(0.01));
    /// assert!(resilient::Registry::new().inject(faults).is_ok());
    /// ```
    pub fn at(mut self, place: impl Into<String>, fault: Fault) -> Self {
        self.at.push((place.into(), fault));
        self
    }
}

impl Fault {
    /// This share of the attempts fails at once, transient, with
    /// [`Rejection::Injected`](crate::Rejection::Injected): from 0 to 1.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let wrong = Faults::seeded(7).at("payment", Fault::errors(1.5));
    /// let error = resilient::Registry::new().inject(wrong).unwrap_err();
    /// assert!(error.to_string().contains("errors = 1.5"));
    /// ```
    pub fn errors(share: f64) -> Self {
        Fault {
            errors: share,
            ..Fault::default()
        }
    }

    /// This share of the attempts waits for `latency` before it begins: from 0 to 1.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let faults = Faults::seeded(7).at("payment", Fault::slow(0.2, "300ms"));
    /// assert!(resilient::Registry::new().inject(faults).is_ok());
    /// ```
    pub fn slow(share: f64, latency: impl IntoDuration) -> Self {
        Fault::default().and_slow(share, latency)
    }

    /// This share of the attempts never comes back: from 0 to 1. Only a limit ends such an attempt.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let faults = Faults::seeded(7).at("payment", Fault::hangs(0.01));
    /// assert!(resilient::Registry::new().inject(faults).is_ok());
    /// ```
    pub fn hangs(share: f64) -> Self {
        Fault::default().and_hangs(share)
    }

    /// Adds slow attempts, see [`Fault::slow`].
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// let fault = Fault::errors(0.1).and_slow(0.2, "300ms").and_hangs(0.01);
    /// let faults = Faults::seeded(7).at("payment", fault);
    /// assert!(resilient::Registry::new().inject(faults).is_ok());
    /// ```
    pub fn and_slow(mut self, share: f64, latency: impl IntoDuration) -> Self {
        self.slow = share;
        self.latency = Some(latency.into_duration());
        self
    }

    /// Adds hanging attempts, see [`Fault::hangs`].
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::testing::{Fault, Faults};
    ///
    /// // More than all of them.
    /// let faults = Faults::seeded(7).at("payment", Fault::errors(0.6).and_hangs(0.6));
    /// assert!(resilient::Registry::new().inject(faults).is_err());
    /// ```
    pub fn and_hangs(mut self, share: f64) -> Self {
        self.hangs = share;
        self
    }
}

/// Faults that cannot be.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::testing::{Fault, Faults};
///
/// let wrong = Faults::seeded(7).at("payment", Fault::slow(0.5, "soon"));
/// let error = resilient::Registry::new().inject(wrong).unwrap_err();
/// assert_eq!(error.problems.len(), 1);
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error("these faults cannot be injected: {}", list(problems))]
pub struct InvalidFaults {
    /// Everything that is wrong, with the place it was given for.
    pub problems: Vec<(String, InvalidSetting)>,
}

fn list(problems: &[(String, InvalidSetting)]) -> String {
    let lines = problems
        .iter()
        .map(|(place, problem)| format!("at `{place}`: {problem}"));
    lines.collect::<Vec<_>>().join("; ")
}

/// Checked faults, ready to be drawn.
#[derive(Debug)]
pub(crate) struct Drawn {
    random: Random,
    at: HashMap<String, Shares>,
    /// The places in the order they were given.
    order: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Shares {
    errors: f64,
    slow: f64,
    latency: Duration,
    hangs: f64,
}

/// The faults in force in a registry, as its plans share them.
pub(crate) type FaultSwitch = ArcSwapOption<Drawn>;

/// What an attempt drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffers {
    Error,
    Latency(Duration),
    Hang,
}

impl Faults {
    /// `None` if there are none.
    pub(crate) fn check(self) -> Result<Option<Drawn>, InvalidFaults> {
        let mut problems = Vec::new();
        let mut at = HashMap::new();
        let mut order = Vec::new();
        for (place, fault) in self.at {
            match fault.check() {
                Ok(shares) => {
                    at.entry(place.clone()).or_insert(shares);
                    order.push(place);
                }
                Err(found) => {
                    problems.extend(found.into_iter().map(|problem| (place.clone(), problem)));
                }
            }
        }
        if !problems.is_empty() {
            return Err(InvalidFaults { problems });
        }
        Ok((!at.is_empty()).then_some(Drawn {
            random: self.random,
            at,
            order,
        }))
    }
}

impl Fault {
    fn check(&self) -> Result<Shares, Vec<InvalidSetting>> {
        let mut problems = Problems::of("faults");
        let shares = [
            ("errors", self.errors),
            ("slow", self.slow),
            ("hangs", self.hangs),
        ];
        let mut sum = 0.0;
        for (name, share) in shares {
            if (0.0..=1.0).contains(&share) {
                sum += share;
            } else {
                problems.add(name, share, "write a share of the attempts, from 0 to 1");
            }
        }
        // Three thirds may come to a little more than one.
        if sum > 1.0 + 1e-9 {
            problems.add("errors + slow + hangs", sum, "come to more than 1");
        }
        let latency = problems.duration("latency", self.latency.as_ref(), Duration::ZERO);
        problems.or(Shares {
            errors: self.errors,
            slow: self.slow,
            latency,
            hangs: self.hangs,
        })
    }
}

impl Drawn {
    /// What the next attempt at `site`, which names these dependencies, suffers.
    pub(crate) fn draw<'a>(
        &self,
        site: &str,
        dependencies: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Option<Suffers> {
        let shares = self.at.get(site).or_else(|| {
            let place = self
                .order
                .iter()
                .find(|place| dependencies.clone().any(|name| name == **place))?;
            self.at.get(place)
        })?;
        let unit = self.random.unit();
        let (errors, slow) = (shares.errors, shares.errors + shares.slow);
        if unit < errors {
            Some(Suffers::Error)
        } else if unit < slow {
            Some(Suffers::Latency(shares.latency))
        } else if unit < slow + shares.hangs {
            Some(Suffers::Hang)
        } else {
            None
        }
    }
}
