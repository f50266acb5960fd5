//! The numbers of a limit that moves by itself, as they are written and as they are checked.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

const DEFAULT_INITIAL: u32 = 20;
const DEFAULT_BACKOFF: f64 = 0.9;
const DEFAULT_SMOOTHING: f64 = 1.0;
const DEFAULT_GRADIENT_SMOOTHING: f64 = 0.2;
const DEFAULT_TOLERANCE: f64 = 1.5;
const DEFAULT_WINDOW: Duration = Duration::from_secs(1);

/// How the limit of a bulkhead follows what its dependency can do, for
/// [`Bulkhead::adaptive`](crate::bulkhead::Bulkhead::adaptive).
///
/// Attempts are watched for a [`window`](Adaptive::window) at a time; what they showed moves the
/// limit once. It counts
///
/// - as **answered**, with its latency: an attempt that ended in `Success` or `Permanent`;
/// - as **dropped**: one that ended in `Throttled`, ran into its own timeout or deadline, or was
///   abandoned after so long a time that the breaker, too, would count it as a failure.
///
/// Nothing else counts, because it says nothing about load: other failures (a refusal would look
/// fast), `Ignored`, what was rejected on this side, and bodies that were ready at once, without
/// having waited for anything. A dependency that turns callers away with a failure of its own, such
/// as HTTP 503, should have that classified as throttled.
///
/// Setters never fail; what cannot work is reported by
/// [`Bulkhead::settings`](crate::bulkhead::Bulkhead::settings), and so by registering.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::bulkhead::{Adaptive, Bulkhead};
///
/// let adaptive = Adaptive::vegas(4..=200).initial(10).window("500ms");
/// let settings = Bulkhead::adaptive(adaptive).max_queue(20).settings().unwrap();
/// assert_eq!(settings.max_concurrent, 10, "where it starts");
/// ```
#[derive(Clone, Debug)]
pub struct Adaptive {
    kind: Kind,
    bounds: RangeInclusive<u32>,
    initial: Option<u32>,
    backoff: Option<f64>,
    smoothing: Option<f64>,
    tolerance: Option<f64>,
    queue: Option<u32>,
    window: Option<GivenDuration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Aimd,
    Vegas,
    Gradient,
}

impl Kind {
    /// The setter that chose it.
    fn name(self) -> &'static str {
        match self {
            Kind::Aimd => "aimd",
            Kind::Vegas => "vegas",
            Kind::Gradient => "gradient",
        }
    }
}

impl Adaptive {
    /// By what is dropped: additive increase, multiplicative decrease, between the two `bounds`.
    ///
    /// ```text
    /// something was dropped       limit = min(limit - 1, limit * backoff)
    /// in flight * 2 >= limit      limit = limit + 1
    /// ```
    ///
    /// rounded down; while less than half the limit is used it stays, because nothing shows that
    /// more would be good. It takes no knowledge of latencies, and finds the limit by going beyond
    /// it: again and again some attempts are dropped. Source: Chiu and Jain, "Analysis of the
    /// Increase and Decrease Algorithms for Congestion Avoidance in Computer Networks" (1989), as
    /// Netflix' [concurrency-limits](https://github.com/Netflix/concurrency-limits) applies it to
    /// calls (`AIMDLimit`).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::bulkhead::{Adaptive, Bulkhead};
    ///
    /// let bulkhead = Bulkhead::adaptive(Adaptive::aimd(4..=200).backoff(0.8));
    /// assert!(bulkhead.settings().is_ok());
    /// ```
    #[must_use]
    pub fn aimd(bounds: RangeInclusive<u32>) -> Self {
        Adaptive::of(Kind::Aimd, bounds)
    }

    /// By latencies, between the two `bounds`: what an attempt takes beyond its time without load
    /// is time spent in a queue of the dependency.
    ///
    /// ```text
    /// queue = ceil(limit * (1 - latency without load / latency))
    /// step  = max(1, floor(log10(limit)))
    ///
    /// something was dropped       limit = limit - step
    /// in flight * 2 < limit       stays
    /// queue <= step               limit = limit + 6 * step
    /// queue <  3 * step           limit = limit + step
    /// queue >  6 * step           limit = limit - step
    /// ```
    ///
    /// Latencies are means over a window; the one without load is the least of the last 10 to 20
    /// minutes, so a dependency that is saturated for longer than that is taken to be that slow.
    /// Start low, with [`Adaptive::initial`], or the first latency it sees is one under load. Source:
    /// Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet"
    /// (1995), with the steps that Netflix'
    /// [concurrency-limits](https://github.com/Netflix/concurrency-limits) uses for calls
    /// (`VegasLimit`; it forgets the latency without load at random instead).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::bulkhead::{Adaptive, Bulkhead};
    ///
    /// let bulkhead = Bulkhead::adaptive(Adaptive::vegas(4..=200).smoothing(0.5));
    /// assert!(bulkhead.settings().is_ok());
    /// ```
    #[must_use]
    pub fn vegas(bounds: RangeInclusive<u32>) -> Self {
        Adaptive::of(Kind::Vegas, bounds)
    }

    /// By latencies, between the two `bounds`: those of a window beside the average of a longer time.
    ///
    /// ```text
    /// something was dropped       limit = limit * backoff
    /// in flight * 2 < limit       stays
    /// otherwise                   gradient = tolerance * long / short, from 0.5 to 1
    ///                             limit = limit + smoothing * (limit * gradient + queue - limit)
    /// ```
    ///
    /// `short` is the mean latency of the window. `long` is the mean of the first 10 windows, and
    /// from then on moves by 2/601 of the way to `short` with each: a dependency that stays slow for
    /// about ten minutes is taken to be that slow. While `long` is more than twice `short` it loses a
    /// twentieth with each window, since it comes from a bad time that is over. `queue` is how many
    /// attempts more the limit may be tried with, the square root of the limit unless
    /// [`Adaptive::queue`] says otherwise; latencies alone lower the limit to no less than twice
    /// that.
    ///
    /// It needs no latency without load, unlike [`Adaptive::vegas`], and so suits work that takes now
    /// long and now short; it lets more of a queue build up before it acts. Source: Netflix'
    /// [concurrency-limits](https://github.com/Netflix/concurrency-limits) (`Gradient2Limit`, with a
    /// queue of 4 there and blind to drops; its `GradientLimit` has the square root and the backoff).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::bulkhead::{Adaptive, Bulkhead};
    ///
    /// let bulkhead = Bulkhead::adaptive(Adaptive::gradient(1..=200).tolerance(2.0).queue(4));
    /// assert!(bulkhead.settings().is_ok());
    /// ```
    #[must_use]
    pub fn gradient(bounds: RangeInclusive<u32>) -> Self {
        Adaptive::of(Kind::Gradient, bounds)
    }

    fn of(kind: Kind, bounds: RangeInclusive<u32>) -> Self {
        Adaptive {
            kind,
            bounds,
            initial: None,
            backoff: None,
            smoothing: None,
            tolerance: None,
            queue: None,
            window: None,
        }
    }

    /// The limit to start with, within the bounds; default 20, or the bound next to it.
    #[must_use]
    pub fn initial(mut self, limit: u32) -> Self {
        self.initial = Some(limit);
        self
    }

    /// What the limit is multiplied by to lower it, above 0 and below 1.
    ///
    /// Default 0.9 for [`Adaptive::aimd`], and for [`Adaptive::gradient`] after a drop.
    /// [`Adaptive::vegas`] takes a step off instead, unless this is given.
    #[must_use]
    pub fn backoff(mut self, factor: f64) -> Self {
        self.backoff = Some(factor);
        self
    }

    /// For the limits that go by latencies: how much of the way to a new limit is gone at once, above
    /// 0 and up to 1. Default 1, all of it, for [`Adaptive::vegas`], and 0.2 for
    /// [`Adaptive::gradient`], whose backoff after a drop is not smoothed.
    #[must_use]
    pub fn smoothing(mut self, share: f64) -> Self {
        self.smoothing = Some(share);
        self
    }

    /// For [`Adaptive::gradient`]: how many times as long as on the average of a longer time an
    /// attempt may take before the limit falls, 1 or more; default 1.5.
    #[must_use]
    pub fn tolerance(mut self, factor: f64) -> Self {
        self.tolerance = Some(factor);
        self
    }

    /// For [`Adaptive::gradient`]: how many attempts may queue in the dependency, 1 or more; default
    /// the square root of the limit.
    #[must_use]
    pub fn queue(mut self, attempts: u32) -> Self {
        self.queue = Some(attempts);
        self
    }

    /// How long attempts are watched before the limit moves, longer than zero; default 1 s.
    ///
    /// It goes on for longer while fewer than 10 attempts were seen, or fewer than the limit where
    /// that is less. Shorter than what an attempt usually takes, the limit moves again before the
    /// last move has shown.
    #[must_use]
    pub fn window(mut self, window: impl IntoDuration) -> Self {
        self.window = Some(window.into_duration());
        self
    }

    /// The checked numbers, defaults filled in, or everything that cannot work.
    pub(in crate::bulkhead) fn settings(&self) -> Result<AdaptiveSettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("bulkhead");
        let (min, max) = (*self.bounds.start(), *self.bounds.end());
        let initial = problems.limits(self, min, max);
        if let Some(backoff) = self.backoff
            && !(backoff > 0.0 && backoff < 1.0)
        {
            problems.add("backoff", backoff, "write a number above 0 and below 1");
        }
        let by_latency = [Kind::Vegas, Kind::Gradient];
        if let Some(smoothing) = problems.of_kinds("smoothing", self.smoothing, self, &by_latency)
            && !(smoothing > 0.0 && smoothing <= 1.0)
        {
            problems.add("smoothing", smoothing, "write a number above 0 and up to 1");
        }
        let by_gradient = [Kind::Gradient];
        if let Some(tolerance) = problems.of_kinds("tolerance", self.tolerance, self, &by_gradient)
            && !(tolerance >= 1.0 && tolerance.is_finite())
        {
            problems.add("tolerance", tolerance, "write a number of 1 or more");
        }
        if problems.of_kinds("queue", self.queue, self, &by_gradient) == Some(0) {
            problems.add("queue", 0, "the limit could never rise; write at least 1");
        }
        let window = problems.time("window", self.window.as_ref(), DEFAULT_WINDOW);
        problems.or(AdaptiveSettings {
            min,
            max,
            initial,
            window,
            algorithm: match self.kind {
                Kind::Aimd => Algorithm::Aimd {
                    backoff: self.backoff.unwrap_or(DEFAULT_BACKOFF),
                },
                Kind::Vegas => Algorithm::Vegas {
                    backoff: self.backoff,
                    smoothing: self.smoothing.unwrap_or(DEFAULT_SMOOTHING),
                },
                Kind::Gradient => Algorithm::Gradient {
                    tolerance: self.tolerance.unwrap_or(DEFAULT_TOLERANCE),
                    queue: self.queue,
                    smoothing: self.smoothing.unwrap_or(DEFAULT_GRADIENT_SMOOTHING),
                    backoff: self.backoff.unwrap_or(DEFAULT_BACKOFF),
                },
            },
        })
    }
}

impl Problems {
    /// The setting, if the algorithm has it.
    fn of_kinds<T: Display>(
        &mut self,
        setting: &'static str,
        value: Option<T>,
        given: &Adaptive,
        kinds: &[Kind],
    ) -> Option<T> {
        let value = value?;
        if kinds.contains(&given.kind) {
            return Some(value);
        }
        let others: Vec<_> = kinds
            .iter()
            .map(|kind| format!("`Adaptive::{}`", kind.name()))
            .collect();
        let reason = format!(
            "`Adaptive::{}` has no such setting; leave it out, or write {}",
            given.kind.name(),
            others.join(" or ")
        );
        self.add(setting, value, reason);
        None
    }

    /// Checks the bounds, and says where to start between them.
    fn limits(&mut self, given: &Adaptive, min: u32, max: u32) -> u32 {
        let name = given.kind.name();
        let bounds = format!("{min}..={max}");
        if min == 0 {
            self.add(
                name,
                &bounds,
                "could come to refuse every call; start the bounds at 1 or more",
            );
        }
        if min > max {
            self.add(name, bounds, "has no limit in it; write `least..=most`");
            return min;
        }
        match given.initial {
            None => DEFAULT_INITIAL.clamp(min, max),
            Some(initial) => {
                if !(min..=max).contains(&initial) {
                    let reason = format!("write a limit within the bounds, {bounds}");
                    self.add("initial", initial, reason);
                }
                initial
            }
        }
    }
}

/// The numbers of a limit that moves by itself, after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::bulkhead::{Adaptive, Algorithm, Bulkhead};
///
/// let settings = Bulkhead::adaptive(Adaptive::aimd(1..=10)).settings().unwrap();
/// let adaptive = settings.adaptive.unwrap();
/// assert_eq!((adaptive.min, adaptive.max, adaptive.initial), (1, 10, 10));
/// assert_eq!(adaptive.algorithm, Algorithm::Aimd { backoff: 0.9 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdaptiveSettings {
    /// The lowest limit, 1 or more.
    pub min: u32,
    /// The highest limit.
    pub max: u32,
    /// The limit to start with.
    pub initial: u32,
    /// How long attempts are watched before the limit moves.
    pub window: Duration,
    /// What moves it.
    pub algorithm: Algorithm,
}

/// What moves a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// See [`Adaptive::aimd`].
    Aimd {
        /// What the limit is multiplied by to lower it.
        backoff: f64,
    },
    /// See [`Adaptive::vegas`].
    Vegas {
        /// What the limit is multiplied by to lower it, if no step is taken off instead.
        backoff: Option<f64>,
        /// How much of the way to a new limit is gone at once.
        smoothing: f64,
    },
    /// See [`Adaptive::gradient`].
    Gradient {
        /// How many times the long average an attempt may take before the limit falls.
        tolerance: f64,
        /// How many attempts may queue in the dependency; the square root of the limit without.
        queue: Option<u32>,
        /// How much of the way to a new limit is gone at once.
        smoothing: f64,
        /// What the limit is multiplied by after a drop.
        backoff: f64,
    },
}
