//! What an HTTP status means.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::retry_after::retry_after;
use super::rules::ambient;
use crate::class::Class;
use crate::invalid::InvalidSetting;

/// What each HTTP status means, as data.
///
/// | status | class unless changed |
/// |---|---|
/// | 100 to 399 | success |
/// | 408, 502, 503, 504 | transient |
/// | 429 | throttled |
/// | 409 with a `Retry-After`, see [`answer`] | throttled |
/// | other 4xx | permanent |
/// | everything else | fault |
///
/// A status has one class: the setter called last for it wins. Setters never fail; statuses that
/// do not exist are reported by [`validate`](StatusClasses::validate).
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::StatusClasses;
///
/// let statuses = StatusClasses::new().transient([500, 520]).permanent([503]);
/// assert_eq!(statuses.of(500), Class::transient());
/// assert_eq!(statuses.of(503), Class::Permanent);
/// assert_eq!(statuses.of(404), Class::Permanent);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct StatusClasses {
    changed: BTreeMap<u16, Class>,
}

impl StatusClasses {
    /// The classes of the table above.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// assert_eq!(StatusClasses::new().of(500), Class::Fault);
    /// ```
    pub const fn new() -> Self {
        StatusClasses {
            changed: BTreeMap::new(),
        }
    }

    /// Statuses worth another attempt.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// assert_eq!(StatusClasses::new().transient([409]).of(409), Class::transient());
    /// ```
    pub fn transient(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Class::transient())
    }

    /// Statuses that ask for patience.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// let statuses = StatusClasses::new().throttled([420]);
    /// assert_eq!(statuses.of(420), Class::Throttled { retry_after: None });
    /// ```
    pub fn throttled(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Class::Throttled { retry_after: None })
    }

    /// Statuses of a broken dependency, not retried.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// assert_eq!(StatusClasses::new().fault([502]).of(502), Class::Fault);
    /// ```
    pub fn fault(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Class::Fault)
    }

    /// Statuses that are answers, not retried.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// assert_eq!(StatusClasses::new().permanent([501]).of(501), Class::Permanent);
    /// ```
    pub fn permanent(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Class::Permanent)
    }

    fn with(mut self, statuses: impl IntoIterator<Item = u16>, class: Class) -> Self {
        self.changed
            .extend(statuses.into_iter().map(|status| (status, class)));
        self
    }

    /// The class of a status.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::StatusClasses;
    ///
    /// assert_eq!(StatusClasses::new().of(204), Class::Success);
    /// ```
    pub fn of(&self, status: u16) -> Class {
        match self.changed.get(&status) {
            Some(class) => *class,
            None => usual(status),
        }
    }

    /// Of an answer that says when to come back.
    fn of_postponed(&self, status: u16) -> Class {
        match self.of(status) {
            Class::Permanent if status == 409 && !self.changed.contains_key(&status) => {
                Class::Throttled { retry_after: None }
            }
            class => class,
        }
    }

    /// Statuses that do not exist: all outside 100 to 599.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::classify::StatusClasses;
    ///
    /// let problems = StatusClasses::new().transient([503, 5030]).validate();
    /// assert_eq!(problems.len(), 1);
    /// assert_eq!(problems[0].value, "5030");
    /// ```
    pub fn validate(&self) -> Vec<InvalidSetting> {
        self.changed
            .keys()
            .filter(|status| !(100..=599).contains(*status))
            .map(|status| {
                let reason = "not an HTTP status: write one from 100 to 599";
                InvalidSetting::new("classify", "statuses", status, reason)
            })
            .collect()
    }
}

const fn usual(status: u16) -> Class {
    match status {
        100..=399 => Class::Success,
        408 | 502 | 503 | 504 => Class::transient(),
        429 => Class::Throttled { retry_after: None },
        400..=499 => Class::Permanent,
        // RFC 9110 has a status outside the known classes treated as a server error.
        _ => Class::Fault,
    }
}

/// The class of an HTTP answer from its status, its `Retry-After` and its `Date`, by the rules of
/// the dependency being called.
///
/// For answers of HTTP clients without a feature here, and for building an error from an answer
/// before it is dropped. Only a throttled status takes a hint from `Retry-After`: a 503 that
/// carries one is still a failure to the breaker, or an outage behind a polite proxy would never
/// open it. Where 503 means "come back later", say so: `StatusClasses::new().throttled([503])`.
/// A 409 is an answer, but one that says when to come back is how servers refuse the repeat of a
/// request that is still at work under its idempotency key: it is throttled, unless the rules have
/// a class for 409.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::answer;
/// use std::time::Duration;
///
/// assert_eq!(answer(200, None, None), Class::Success);
/// assert_eq!(answer(503, None, None), Class::transient());
/// assert_eq!(answer(503, Some("2"), None), Class::transient());
/// assert_eq!(answer(429, Some("2"), None), Class::throttled(Duration::from_secs(2)));
/// assert_eq!(answer(429, Some("soon"), None), Class::Throttled { retry_after: None });
/// assert_eq!(answer(409, Some("2"), None), Class::throttled(Duration::from_secs(2)));
/// assert_eq!(answer(409, None, None), Class::Permanent);
/// ```
pub fn answer(status: u16, retry_after_header: Option<&str>, date: Option<&str>) -> Class {
    // The wall clock, and only here: a date on the wire is on no other scale.
    let hint = retry_after_header.and_then(|value| retry_after(value, date, SystemTime::now()));
    let class = ambient(|rules| match hint {
        Some(_) => rules.statuses.of_postponed(status),
        None => rules.statuses.of(status),
    });
    match (class, hint) {
        (Class::Throttled { .. }, Some(hint)) => Class::throttled(hint),
        _ => class,
    }
}

/// The word of events and metrics for an HTTP status of this class.
pub(super) const fn status_kind(status: u16, class: Class) -> &'static str {
    match (class, status) {
        (Class::Success | Class::Throttled { .. }, _) => class.kind(),
        (_, 408 | 504) => "timeout",
        (_, 400..=499) => "client",
        _ => "server",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const THROTTLED: Class = Class::Throttled { retry_after: None };

    #[test]
    fn the_usual_classes() {
        let statuses = StatusClasses::new();
        for status in 0..=1000 {
            let expected = match status {
                408 | 502 | 503 | 504 => Class::transient(),
                429 => THROTTLED,
                100..=399 => Class::Success,
                400..=499 => Class::Permanent,
                _ => Class::Fault,
            };
            assert_eq!(statuses.of(status), expected, "{status}");
        }
        assert_eq!(statuses.validate(), []);
    }

    #[test]
    fn the_last_setter_of_a_status_wins() {
        let statuses = StatusClasses::new()
            .transient([500, 501])
            .fault([500, 503])
            .throttled([503, 404])
            .permanent([404]);
        for (status, class) in [
            (500, Class::Fault),
            (501, Class::transient()),
            (503, THROTTLED),
            (404, Class::Permanent),
            (502, Class::transient()),
        ] {
            assert_eq!(statuses.of(status), class, "{status}");
        }
        let other_order = StatusClasses::new().fault([501, 502]).fault([500]);
        assert_eq!(other_order, StatusClasses::new().fault([500, 501, 502]));
    }

    #[test]
    fn statuses_that_do_not_exist_are_all_reported() {
        let problems = StatusClasses::new()
            .transient([0, 99, 100, 599])
            .permanent([600, u16::MAX])
            .validate();
        let values: Vec<_> = problems.iter().map(|problem| &*problem.value).collect();
        assert_eq!(values, ["0", "99", "600", "65535"]);
        assert_eq!(
            problems[1].to_string(),
            "classify.statuses = 99: not an HTTP status: write one from 100 to 599"
        );
    }

    #[test]
    fn answers() {
        let date = Some("Sun, 06 Nov 1994 08:49:30 GMT");
        let until = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let wait = |secs| Class::throttled(Duration::from_secs(secs));
        for (status, retry_after, date, expected) in [
            (200, None, None, Class::Success),
            (200, Some("5"), None, Class::Success),
            (302, Some("5"), None, Class::Success),
            (400, Some("5"), None, Class::Permanent),
            (408, None, None, Class::transient()),
            (409, None, None, Class::Permanent),
            (409, Some("5"), None, wait(5)),
            (409, Some("soon"), None, Class::Permanent),
            (429, None, None, THROTTLED),
            (429, Some("5"), None, wait(5)),
            (429, Some("0"), None, wait(0)),
            (429, Some("-5"), None, THROTTLED),
            (429, until, date, wait(7)),
            (429, until, None, THROTTLED),
            (500, Some("5"), None, Class::Fault),
            (503, None, None, Class::transient()),
            (503, Some("5"), None, Class::transient()),
            (503, Some("never"), None, Class::transient()),
        ] {
            assert_eq!(
                answer(status, retry_after, date),
                expected,
                "{status} {retry_after:?}"
            );
        }
    }

    #[test]
    fn i55_a_class_that_was_written_for_409_holds_whatever_else_it_says() {
        let later = |statuses: StatusClasses| statuses.of_postponed(409);
        assert_eq!(later(StatusClasses::new()), THROTTLED);
        assert_eq!(
            later(StatusClasses::new().permanent([409])),
            Class::Permanent
        );
        assert_eq!(later(StatusClasses::new().fault([409])), Class::Fault);
        assert_eq!(StatusClasses::new().of_postponed(422), Class::Permanent);
    }

    #[test]
    fn kinds() {
        for (status, kind) in [
            (200, "success"),
            (404, "client"),
            (408, "timeout"),
            (429, "throttled"),
            (500, "server"),
            (503, "server"),
            (504, "timeout"),
        ] {
            assert_eq!(status_kind(status, usual(status)), kind, "{status}");
        }
    }
}
