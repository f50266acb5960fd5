//! Limits that processes share: a decision is one round trip, and with batches mostly none.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{Client, IntoConnectionInfo, Script};
use resilient::store::{Outage, RedisConfig, RedisLimitStore, RedisLimits};
use resilient::{Limit, RateLimit, RateLimiter};
use resilient_benches::one_thread::block_on;
use resilient_benches::table::Table;
use resilient_benches::target::Bound::{AtLeast, AtMost};
use resilient_benches::target::Target;
use resilient_test_servers::Redis;

use crate::AnyError;
use crate::lane::Lane;
use crate::limiters::{KEYS, keys};
use crate::table::measure as compare;

const ROUNDS: usize = 300;

/// A slow machine is no outage.
const PATIENCE: Duration = Duration::from_secs(30);

const BATCH: u32 = 100;

const INCR: &str = "bare INCR";
const SPLIT: &str = "INCR, then EXPIRE";
const SCRIPT: &str = "a bare script of the same commands";
const HOT: &str = "fixed window, one key";
const MANY: &str = "fixed window, 10 000 keys";
const GCRA: &str = "GCRA, one key";
const HOT_HELD: &str = "fixed window, one key, batches of 100";
const MANY_HELD: &str = "fixed window, 10 000 keys, batches of 100";
const GCRA_HELD: &str = "GCRA, one key, batches of 100";

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Vec<Table>, AnyError> {
    let Some(server) = Redis::start()? else {
        let mut table = Table::new("limits: in Redis", &["left out"]);
        table.row("Redis is not installed", []);
        return Ok(vec![table]);
    };
    let url = server.url();
    let bare = block_on(connect(&url))?;
    let window = || Limit::fixed("l", u32::MAX, "24h");
    let gcra = || Limit::gcra("l", 1_000, "1s").burst(u32::MAX);
    let many_held = limiter(&url, "many-held", window(), Some(BATCH))?;
    block_on(warm_up(&many_held))?;
    let lanes = vec![
        (INCR, incr(bare.clone())),
        (INCR, incr_and_expire(bare.clone())),
        (INCR, script(bare)),
        (INCR, one(HOT, limiter(&url, "hot", window(), None)?)),
        (INCR, one(GCRA, limiter(&url, "gcra", gcra(), None)?)),
        (INCR, each(MANY, limiter(&url, "many", window(), None)?)),
        (
            HOT,
            one(HOT_HELD, limiter(&url, "held", window(), Some(BATCH))?),
        ),
        (
            GCRA,
            one(GCRA_HELD, limiter(&url, "gcra-held", gcra(), Some(BATCH))?),
        ),
        (MANY, each(MANY_HELD, many_held)),
    ];
    let title = "in Redis, one request after the other";
    let (samples, table) = compare(title, ("us", 1e3), ROUNDS, lanes);
    for (what, lane) in [("fixed window", HOT), ("GCRA", GCRA)] {
        let what = format!("limits: a decision in Redis, {what}, to a bare INCR");
        targets.push(Target::new(what, samples.ratio(lane, INCR), AtMost(1.3)));
    }
    for (what, lane, base) in [("one key", HOT_HELD, HOT), ("10 000 keys", MANY_HELD, MANY)] {
        // Means, because most requests of a batch cost nothing and one costs a round trip.
        let what = format!("limits: decisions of batches of 100, {what}, to those without");
        let ratio = 1.0 / samples.ratio(lane, base);
        targets.push(Target::new(what, ratio, AtLeast(10.0)));
    }
    Ok(vec![table])
}

/// As the store does.
async fn connect(url: &str) -> Result<ConnectionManager, AnyError> {
    let server = url
        .into_connection_info()?
        .set_tcp_settings(TcpSettings::default().set_nodelay(true));
    let config = ConnectionManagerConfig::new().set_response_timeout(Some(PATIENCE));
    Ok(ConnectionManager::new_with_config(Client::open(server)?, config).await?)
}

fn incr(connection: ConnectionManager) -> Lane {
    Lane::awaited(INCR, async move |_| {
        let mut connection = connection.clone();
        let _: u64 = redis::cmd("INCR")
            .arg("bare")
            .query_async(&mut connection)
            .await?;
        Ok(())
    })
}

/// What is written by hand most often, and locks somebody out for ever when it ends in between.
fn incr_and_expire(connection: ConnectionManager) -> Lane {
    Lane::awaited(SPLIT, async move |_| {
        let mut connection = connection.clone();
        let _: u64 = redis::cmd("INCR")
            .arg("split")
            .query_async(&mut connection)
            .await?;
        let _: u64 = redis::cmd("EXPIRE")
            .arg("split")
            .arg(60)
            .query_async(&mut connection)
            .await?;
        Ok(())
    })
}

/// As little as a decision by the server's clock can be: nothing is looked at.
fn script(connection: ConnectionManager) -> Lane {
    let script = Script::new(
        "local time = redis.call('TIME')
        redis.call('HMGET', KEYS[1], 'at', 'count')
        redis.call('HSET', KEYS[1], 'at', time[1], 'count', ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return { 1, time[1] * 1000000 + time[2], 1, 2, 3, 0 }",
    );
    Lane::awaited(SCRIPT, async move |_| {
        let mut connection = connection.clone();
        let mut invocation = script.key("script");
        let invocation = invocation.arg(1).arg(86_400_000);
        let _: Vec<u64> = invocation.invoke_async(&mut connection).await?;
        Ok(())
    })
}

fn limiter(
    url: &str,
    name: &str,
    limit: Limit,
    batch: Option<u32>,
) -> Result<RateLimiter, AnyError> {
    let limits = RedisLimits::over(RedisConfig::at(url).response_timeout(PATIENCE))
        .timeout(PATIENCE)
        .outage(Outage::Closed);
    let limits = match batch {
        Some(batch) => limits.reserve(batch),
        None => limits,
    };
    let store = block_on(async { RedisLimitStore::over(&limits) })?;
    Ok(RateLimiter::over(
        Arc::new(store),
        RateLimit::named(name).limit(limit),
    )?)
}

fn one(name: &'static str, limiter: RateLimiter) -> Lane {
    Lane::awaited(name, async move |_| ask(&limiter, "user-0000007").await)
}

fn each(name: &'static str, limiter: RateLimiter) -> Lane {
    let keys = keys(KEYS);
    let next = std::sync::atomic::AtomicUsize::new(0);
    Lane::awaited(name, async move |_| {
        let next = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ask(&limiter, &keys[next % keys.len()]).await
    })
}

async fn ask(limiter: &RateLimiter, key: &str) -> Result<(), AnyError> {
    let decision = limiter.check(key, 1).await?;
    let allowed = decision.is_allowed().then_some(());
    allowed.ok_or_else(|| "refused".into())
}

/// Until each key has batches of full size, somewhere in one of them.
async fn warm_up(limiter: &RateLimiter) -> Result<(), AnyError> {
    for (number, key) in keys(KEYS).iter().enumerate() {
        for _ in 0..127 + number % BATCH as usize {
            ask(limiter, key).await?;
        }
    }
    Ok(())
}
