//! Why a store over Redis could not be set up.

use std::error::Error;

use resilient_core::invalid::InvalidSetting;

/// Why a store over Redis could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedisSetupError {
    /// Settings that cannot work.
    #[error("{}", listed(problems))]
    Invalid {
        /// Everything that is wrong with them.
        problems: Vec<InvalidSetting>,
    },
    /// There is no tokio runtime to hold the connection.
    #[error("connect to Redis inside a tokio runtime: its connection is a task of one")]
    NoRuntime,
    /// The server cannot be reached, or refused.
    #[error("Redis cannot be reached: {source}")]
    Unavailable {
        /// What the client said.
        source: Box<dyn Error + Send + Sync>,
    },
}

fn listed(problems: &[InvalidSetting]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
