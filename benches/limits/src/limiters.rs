//! A limiter asked on one thread: one count for all, and one for each key.

use std::hint::black_box;

use governor::clock::MonotonicClock;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota};
use resilient::{Limit, RateLimit, RateLimiter};
use resilient_benches::table::Table;
use resilient_benches::target::{Bound::AtMost, Target};

use crate::AnyError;
use crate::lane::Lane;
use crate::table::{Compared, measure as compare};

const ROUNDS: usize = 300;

/// Keys in use at a time.
pub(crate) const KEYS: u32 = 10_000;

pub(crate) const GOVERNOR: &str = "governor, direct";
pub(crate) const OURS: &str = "resilient, direct, try_acquire";
pub(crate) const GOVERNOR_KEYED: &str = "governor, 10 000 keys";
pub(crate) const OURS_KEYED: &str = "resilient, 10 000 keys, try_acquire";
pub(crate) const GOVERNOR_HOT: &str = "governor, one key";
pub(crate) const OURS_HOT: &str = "resilient, one key, try_acquire";

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Table, AnyError> {
    let mut lanes = lanes()?;
    lanes.push((GOVERNOR, by_the_same_clock()?));
    lanes.push((GOVERNOR, checking("resilient, direct, check", "", true)?));
    lanes.push((
        GOVERNOR_HOT,
        checking("resilient, one key, check", "user-0000007", false)?,
    ));
    let (samples, table) = compare("a decision in memory", ("ns", 1.0), ROUNDS, lanes);
    for (what, lane, base) in [
        ("direct", OURS, GOVERNOR),
        ("one key", OURS_HOT, GOVERNOR_HOT),
        ("10 000 keys", OURS_KEYED, GOVERNOR_KEYED),
    ] {
        let what = format!("limits: a decision in memory, {what}, to governor");
        targets.push(Target::new(what, samples.ratio(lane, base), AtMost(1.0)));
    }
    Ok(table)
}

/// Those that allocate nothing.
pub(crate) fn lanes() -> Result<Vec<Compared>, AnyError> {
    let keys: &'static [String] = keys(KEYS).leak();
    let direct = ours(true)?;
    let (hot, keyed) = (ours(false)?, ours(false)?);
    let governor = DefaultDirectRateLimiter::direct(quota()?);
    let governor_hot = DefaultKeyedRateLimiter::<String>::keyed(quota()?);
    let governor_keyed = DefaultKeyedRateLimiter::<String>::keyed(quota()?);
    let of = |number: u32| black_box(&keys[(number % KEYS) as usize]);
    Ok(vec![
        (
            GOVERNOR,
            Lane::at_once(GOVERNOR, move |_| governor.check().is_ok()),
        ),
        (
            GOVERNOR,
            Lane::at_once(OURS, move |_| {
                matches!(direct.try_acquire("", 1), Some(Ok(())))
            }),
        ),
        (
            GOVERNOR_HOT,
            Lane::at_once(GOVERNOR_HOT, move |_| governor_hot.check_key(of(7)).is_ok()),
        ),
        (
            GOVERNOR_HOT,
            Lane::at_once(OURS_HOT, move |_| {
                matches!(hot.try_acquire(of(7), 1), Some(Ok(())))
            }),
        ),
        (
            GOVERNOR_KEYED,
            Lane::at_once(GOVERNOR_KEYED, move |number| {
                governor_keyed.check_key(of(number)).is_ok()
            }),
        ),
        (
            GOVERNOR_KEYED,
            Lane::at_once(OURS_KEYED, move |number| {
                matches!(keyed.try_acquire(of(number), 1), Some(Ok(())))
            }),
        ),
    ])
}

/// That of the system, which a paused test can stand in for; governor's own reads the processor's.
fn by_the_same_clock() -> Result<Lane, AnyError> {
    let limiter = governor::RateLimiter::direct_with_clock(quota()?, MonotonicClock);
    let name = "governor, direct, by the clock of std";
    Ok(Lane::at_once(name, move |_| limiter.check().is_ok()))
}

/// With everything that headers need.
fn checking(name: &'static str, key: &'static str, unkeyed: bool) -> Result<Lane, AnyError> {
    let limiter = ours(unkeyed)?;
    Ok(Lane::awaited(name, async move |_| {
        let decision = limiter.check(black_box(key), 1).await?;
        let allowed = decision.is_allowed().then_some(());
        allowed.ok_or_else(|| "refused".into())
    }))
}

/// Text of the usual length.
pub(crate) fn keys(number: u32) -> Vec<String> {
    (0..number).map(|key| format!("user-{key:07}")).collect()
}

/// More than anybody asks for here.
pub(crate) fn ours(unkeyed: bool) -> Result<RateLimiter, AnyError> {
    let limit = Limit::gcra("l", 1_000_000, "1s").burst(u32::MAX);
    let limit = RateLimit::named("bench").max_keys(2_000_000).limit(limit);
    let limit = if unkeyed { limit.unkeyed() } else { limit };
    Ok(RateLimiter::in_memory(limit)?)
}

/// The same.
pub(crate) fn quota() -> Result<Quota, AnyError> {
    let most = u32::MAX.try_into()?;
    Ok(Quota::per_second(1_000_000.try_into()?).allow_burst(most))
}
