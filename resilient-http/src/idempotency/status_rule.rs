//! Which answers are kept, and what the others say about the run.

use std::collections::BTreeMap;

use resilient_core::invalid::InvalidSetting;

/// What an answer says about the run that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was done, and this is the answer to every repeat.
    Store,
    /// It certainly did nothing: the next one with the key runs, whatever its payload.
    NotExecuted,
    /// It failed, and nobody knows how far it came: the next one runs if the effects may be
    /// repeated, else the record is uncertain.
    Failed,
}

/// What each status says about the run that answered with it.
///
/// | status | verdict unless changed |
/// |---|---|
/// | 400, 401, 403, 405, 411, 413, 414, 415, 422, 425, 429 | not executed: the handler was not reached, or refused before it did anything |
/// | 408, 500 and above | failed |
/// | all others | stored |
///
/// A status has one verdict: the setter called last for it wins. 401, 429 and everything from 500
/// up say something about the moment, not about the request, and can never be stored.
///
/// ```
/// use resilient_http::idempotency::{StatusRule, Verdict};
///
/// let rule = StatusRule::new().store([422]).not_executed([409]);
/// assert_eq!(rule.of(422), Verdict::Store);
/// assert_eq!(rule.of(409), Verdict::NotExecuted);
/// assert_eq!(rule.of(503), Verdict::Failed);
/// assert_eq!(StatusRule::new().store([503]).validate().len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct StatusRule {
    changed: BTreeMap<u16, Verdict>,
}

impl StatusRule {
    /// The verdicts of the table above.
    pub const fn new() -> Self {
        StatusRule {
            changed: BTreeMap::new(),
        }
    }

    /// Statuses that are answers.
    pub fn store(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Verdict::Store)
    }

    /// Statuses after which nothing was done. A handler that answers so after it did something
    /// does it again.
    pub fn not_executed(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Verdict::NotExecuted)
    }

    /// Statuses that leave open what was done.
    pub fn failed(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.with(statuses, Verdict::Failed)
    }

    fn with(mut self, statuses: impl IntoIterator<Item = u16>, verdict: Verdict) -> Self {
        self.changed
            .extend(statuses.into_iter().map(|status| (status, verdict)));
        self
    }

    /// The verdict of a status.
    pub fn of(&self, status: u16) -> Verdict {
        match self.changed.get(&status) {
            Some(verdict) => *verdict,
            None => usual(status),
        }
    }

    /// Statuses that do not exist, and those that can never be stored but should be.
    pub fn validate(&self) -> Vec<InvalidSetting> {
        self.changed
            .iter()
            .filter_map(|(status, verdict)| {
                let reason = match (status, verdict) {
                    (..100 | 600.., _) => "not an HTTP status: write one from 100 to 599",
                    (401 | 429 | 500.., Verdict::Store) => {
                        "it says something about the moment, and would be replayed when that is over: write `failed` or `not_executed`"
                    }
                    _ => return None,
                };
                Some(InvalidSetting {
                    policy: "idempotency",
                    setting: "statuses",
                    value: status.to_string(),
                    reason: reason.to_owned(),
                })
            })
            .collect()
    }
}

const fn usual(status: u16) -> Verdict {
    match status {
        400 | 401 | 403 | 405 | 411 | 413 | 414 | 415 | 422 | 425 | 429 => Verdict::NotExecuted,
        408 | 500.. => Verdict::Failed,
        _ => Verdict::Store,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i22_i24_i25_i26_q06_the_usual_verdicts() {
        let rule = StatusRule::new();
        for status in 100..=999 {
            let expected = match status {
                400 | 401 | 403 | 405 | 411 | 413 | 414 | 415 | 422 | 425 | 429 => {
                    Verdict::NotExecuted
                }
                408 | 500..=999 => Verdict::Failed,
                _ => Verdict::Store,
            };
            assert_eq!(rule.of(status), expected, "{status}");
        }
        assert_eq!(rule.validate(), []);
    }

    #[test]
    fn q06_what_can_never_be_stored_is_reported_with_all_else() {
        let problems = StatusRule::new()
            .store([401, 429, 500, 503, 599, 200, 408])
            .failed([99, 600, 404])
            .validate();
        let values: Vec<&str> = problems.iter().map(|problem| &*problem.value).collect();
        assert_eq!(values, ["99", "401", "429", "500", "503", "599", "600"]);
    }
}
