//! What is wrong with a server for keeping records.

use redis::InfoDict;

/// What a Redis server is set to that loses records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedisAdvice {
    /// It deletes keys when its memory is full: requests run twice then.
    #[error(
        "Redis deletes records when its memory is full (`maxmemory-policy {policy}`), and their requests would run again: set `maxmemory-policy noeviction`"
    )]
    Evicts {
        /// Its `maxmemory-policy`.
        policy: String,
    },
    /// It forgets everything, or the last seconds, when it restarts.
    #[error(
        "Redis forgets records when it restarts (`appendonly no`), and their requests would run again: set `appendonly yes`"
    )]
    Forgets,
}

/// What the server says about itself, judged. What it does not say is not judged.
pub(super) fn of(info: &InfoDict) -> Vec<RedisAdvice> {
    let mut advice = Vec::new();
    let policy: Option<String> = info.get("maxmemory_policy");
    let limit: Option<u64> = info.get("maxmemory");
    if let Some(policy) = policy
        && policy != "noeviction"
        && limit != Some(0)
    {
        advice.push(RedisAdvice::Evicts { policy });
    }
    if info.get("aof_enabled") == Some(0_u8) {
        advice.push(RedisAdvice::Forgets);
    }
    advice
}
