//! The ways in which a dependency can behave.

use std::fmt;

/// What the server does with every request that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Does its work and answers 200.
    Healthy,
    /// Answers 503 at once.
    Unavailable,
    /// Answers 429 and asks to be left alone for that many seconds.
    Throttling { retry_after: u32 },
    /// Takes the request and never answers.
    Stalling,
    /// Resets the connection instead of answering.
    Resetting,
    /// Does its work, then resets the connection: the client cannot know that it was done.
    LosingAnswers,
    /// Does its work and never answers.
    KeepingSilent,
    /// Listens no longer: connections are refused, open ones are closed.
    Dead,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Phase::Healthy => "healthy",
            Phase::Unavailable => "answers 503",
            Phase::Throttling { .. } => "answers 429",
            Phase::Stalling => "never answers",
            Phase::Resetting => "cuts connection",
            Phase::LosingAnswers => "loses answers",
            Phase::KeepingSilent => "keeps silent",
            Phase::Dead => "is gone",
        })
    }
}
