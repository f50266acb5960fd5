//! What can be wrong with a policy's numbers, found when it is registered.

use std::fmt;
use std::time::Duration;

use crate::duration::GivenDuration;
use crate::name::Name;

/// One setting that cannot work, with what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    /// Where it belongs: `dependency`, `retry`, `breaker`, `budget`, `bulkhead`, `throttle`,
    /// `rate_limit`, `timeout`, `deadline` or `classify`.
    pub policy: &'static str,
    /// The setting inside the policy, by the name of its setter.
    pub setting: &'static str,
    /// The value as it was given.
    pub value: String,
    /// Why it cannot work and what to write instead.
    pub reason: String,
}

impl InvalidSetting {
    pub(crate) fn new(
        policy: &'static str,
        setting: &'static str,
        value: impl fmt::Display,
        reason: impl Into<String>,
    ) -> Self {
        InvalidSetting {
            policy,
            setting,
            value: value.to_string(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidSetting {
            policy,
            setting,
            value,
            reason,
        } = self;
        if policy == setting {
            write!(f, "{policy} = {value}: {reason}")
        } else {
            write!(f, "{policy}.{setting} = {value}: {reason}")
        }
    }
}

impl std::error::Error for InvalidSetting {}

/// Collects what is wrong with one policy's settings, so that all of it is told at once. What a
/// check returns for a wrong value is never used.
pub(crate) struct Problems {
    policy: &'static str,
    found: Vec<InvalidSetting>,
}

impl Problems {
    pub(crate) fn of(policy: &'static str) -> Self {
        Problems {
            policy,
            found: Vec::new(),
        }
    }

    pub(crate) fn add(
        &mut self,
        setting: &'static str,
        value: impl fmt::Display,
        reason: impl Into<String>,
    ) {
        let problem = InvalidSetting::new(self.policy, setting, value, reason);
        self.found.push(problem);
    }

    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn at_least_one(
        &mut self,
        setting: &'static str,
        given: Option<u32>,
        default: u32,
    ) -> u32 {
        let value = given.unwrap_or(default);
        if value == 0 {
            self.add(setting, value, "write at least 1");
        }
        value
    }

    pub(crate) fn duration(
        &mut self,
        setting: &'static str,
        given: Option<&GivenDuration>,
        default: Duration,
    ) -> Duration {
        match given.map(GivenDuration::get) {
            None => default,
            Some(Ok(duration)) => duration,
            Some(Err(error)) => {
                if let Some(given) = given {
                    self.add(setting, given, error.to_string());
                }
                default
            }
        }
    }

    /// A duration longer than zero.
    pub(crate) fn time(
        &mut self,
        setting: &'static str,
        given: Option<&GivenDuration>,
        default: Duration,
    ) -> Duration {
        let time = self.duration(setting, given, default);
        if let Some(given) = given
            && time.is_zero()
        {
            self.add(setting, given, "write a time longer than zero");
        }
        time
    }

    /// A name by the rules of [`Name::new`].
    pub(crate) fn name(&mut self, setting: &'static str, name: &str) -> Option<Name> {
        let problem = match Name::new(name) {
            Ok(name) => return Some(name),
            Err(problem) => problem,
        };
        self.add(setting, problem.value, problem.reason);
        None
    }

    pub(crate) fn into_found(self) -> Vec<InvalidSetting> {
        self.found
    }

    /// The settings, if nothing was found.
    pub(crate) fn or<T>(self, settings: T) -> Result<T, Vec<InvalidSetting>> {
        if self.found.is_empty() {
            Ok(settings)
        } else {
            Err(self.found)
        }
    }
}
