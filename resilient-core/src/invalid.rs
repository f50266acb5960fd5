//! What can be wrong with a policy's numbers, found when it is registered.

use std::fmt;

/// One setting that cannot work, with what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    /// Where it belongs: `dependency`, `retry`, `breaker`, `budget`, `bulkhead`, `timeout`,
    /// `deadline` or `classify`.
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
