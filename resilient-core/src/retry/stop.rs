//! Why a call makes no further attempt.

/// Why a call that could retry does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Attempts,
    Deadline,
    Budget,
    Breaker,
    Throttle,
    RateLimit,
    Bulkhead,
    RetryAfter,
    Unsafe,
    Probe,
    Off,
}

impl Stop {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Stop::Attempts => "attempts",
            Stop::Deadline => "deadline",
            Stop::Budget => "budget",
            Stop::Breaker => "breaker",
            Stop::Throttle => "throttle",
            Stop::RateLimit => "rate_limit",
            Stop::Bulkhead => "bulkhead",
            Stop::RetryAfter => "retry_after",
            Stop::Unsafe => "not_idempotent",
            Stop::Probe => "probe",
            Stop::Off => "off",
        }
    }
}
