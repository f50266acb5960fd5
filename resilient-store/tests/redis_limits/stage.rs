//! Limiters over a private server, and what lies in it.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::rate_limit::{Decision, Limit, RateLimit, RateLimiter};
use resilient_store::{Outage, RedisConfig, RedisLimitCounter, RedisLimitStore, RedisLimits};
use resilient_test_servers::Redis;

/// A window that no test sees the end of: the next one begins in decades or in years.
pub(crate) const ENDLESS: Duration = Duration::from_secs(3_650 * 86_400);

/// A limiter, and what its store did.
pub(crate) struct Stage {
    pub(crate) limiter: RateLimiter,
    pub(crate) counter: RedisLimitCounter,
    pub(crate) store: Arc<RedisLimitStore>,
}

/// Settings for a server that is well: a slow machine is no outage, and an outage is no decision.
pub(crate) fn patient(server: &Redis) -> RedisLimits {
    let redis = RedisConfig::at(server.url()).response_timeout("30s");
    RedisLimits::over(redis)
        .timeout("30s")
        .outage(Outage::Closed)
}

/// Settings for a server that will not answer.
pub(crate) fn hasty(server: &Redis) -> RedisLimits {
    RedisLimits::over(RedisConfig::at(server.url()))
}

pub(crate) fn limiter(limits: &RedisLimits, limit: RateLimit) -> Stage {
    let store = Arc::new(RedisLimitStore::over(limits).unwrap());
    let counter = store.counter();
    let limiter = RateLimiter::over(store.clone(), limit).unwrap();
    Stage {
        limiter,
        counter,
        store,
    }
}

/// A patient limiter called `api`.
pub(crate) fn api(server: &Redis, limits: impl IntoIterator<Item = Limit>) -> Stage {
    limiter(&patient(server), named(limits))
}

pub(crate) fn named(limits: impl IntoIterator<Item = Limit>) -> RateLimit {
    let api = RateLimit::named("api");
    limits.into_iter().fold(api, RateLimit::limit)
}

/// One of each kind, with 10 in a window.
pub(crate) fn all_kinds(window: Duration) -> [Limit; 5] {
    [
        Limit::fixed("fixed", 10, window),
        Limit::sliding_counter("sliding", 10, window),
        Limit::sliding_log("log", 10, window),
        Limit::token_bucket("bucket", 10, window),
        Limit::gcra("gcra", 10, window),
    ]
}

pub(crate) async fn check(stage: &Stage, cost: u32) -> Decision {
    stage.limiter.check("u", cost).await.unwrap()
}

pub(crate) async fn remaining(stage: &Stage) -> u32 {
    let decision = stage.limiter.peek("u", 1).await.unwrap();
    decision.tightest().unwrap().remaining
}

/// Where a limit of the subject `u` of `api` is kept.
pub(crate) fn key(limit: &str, suffix: &str) -> String {
    // printf 'api\0u' | sha256sum | cut -c 1-32
    format!("rl:{{865049a38b4a0e9b59de42d26c1816aa}}:{limit}:{suffix}")
}

pub(crate) fn keys(server: &Redis) -> Vec<String> {
    let keys = server.ask(&["KEYS", "*"]).unwrap().unwrap_or_default();
    keys.lines().map(str::to_owned).collect()
}

/// What a key lives for, in milliseconds: -1 for ever, -2 if there is none.
pub(crate) fn pttl(server: &Redis, key: &str) -> i64 {
    let left = server.ask(&["PTTL", key]).unwrap().unwrap();
    left.parse().unwrap()
}

/// The server's time, in microseconds.
pub(crate) fn now(server: &Redis) -> u64 {
    let time = server.ask(&["TIME"]).unwrap().unwrap();
    let (secs, micros) = time.split_once('\n').unwrap();
    secs.parse::<u64>().unwrap() * 1_000_000 + micros.parse::<u64>().unwrap()
}

/// How often the server did something: `evalsha`, `script|load`.
pub(crate) fn calls(server: &Redis, command: &str) -> u64 {
    let stats = server.ask(&["INFO", "commandstats"]).unwrap().unwrap();
    let line = format!("cmdstat_{command}:calls=");
    let found = stats.lines().find_map(|stat| stat.strip_prefix(&line));
    found.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
}
