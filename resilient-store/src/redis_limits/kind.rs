//! What a limit is to the scripts.

use resilient_core::rate_limit::{Algorithm, LimitSettings};

/// Limits of a kind are counted by the same lines of script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Fixed,
    Sliding,
    Log,
    Bucket,
}

impl Kind {
    pub(super) fn of(limit: &LimitSettings) -> Self {
        match limit.algorithm {
            Algorithm::SlidingCounter => Kind::Sliding,
            Algorithm::SlidingLog => Kind::Log,
            Algorithm::TokenBucket | Algorithm::Gcra => Kind::Bucket,
            _ => Kind::Fixed,
        }
    }

    /// In how many words the scripts are told such a limit.
    pub(super) fn words(self) -> usize {
        match self {
            Kind::Fixed | Kind::Log => 2,
            Kind::Sliding => 3,
            Kind::Bucket => 7,
        }
    }
}
