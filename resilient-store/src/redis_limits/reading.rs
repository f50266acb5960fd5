//! What the script found, read.

use std::time::Duration;

use redis::{FromRedisValue, ParsingError, Value};
use resilient_core::rate_limit::{Algorithm, Ask, Decision, LimitSettings, Reading};

use super::bucket::{Bucket, micros};
use super::sliding::Sliding;
use super::words::tick;

const NANOS_OF_MICRO: u64 = 1_000;

/// What the script answered.
#[derive(Debug)]
pub(super) struct Found {
    /// How much was taken, in the unit of the script; 0 for a refusal.
    pub(super) allowed: u32,
    /// The server's time, in microseconds.
    now: u64,
    limits: Vec<FoundLimit>,
}

/// One limit, as the request left it; the numbers mean what its kind says.
#[derive(Clone, Copy, Debug)]
struct FoundLimit {
    fits: bool,
    numbers: [u64; 3],
}

/// How many numbers are told of a limit.
const NUMBERS: usize = 4;

impl FromRedisValue for Found {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        // One text, because the client takes as long for each part of a list as for all of it.
        let text = String::from_redis_value(value)?;
        let numbers = text.split(' ').map(str::parse);
        let numbers: Vec<u64> = numbers
            .collect::<Result<_, _>>()
            .map_err(|_| "the script answered something else than numbers")?;
        let Some((&[allowed, now], limits)) = numbers.split_first_chunk() else {
            return Err("the script answered too little".into());
        };
        let (limits, rest) = limits.as_chunks::<NUMBERS>();
        if !rest.is_empty() {
            return Err("the script answered half of a limit".into());
        }
        let limits = limits.iter().map(|&[fits, numbers @ ..]| FoundLimit {
            fits: fits == 1,
            numbers,
        });
        Ok(Found {
            allowed: u32::try_from(allowed).map_err(|_| "the script allowed too much")?,
            now,
            limits: limits.collect(),
        })
    }
}

impl Found {
    /// What was decided about a request of which `needed` had to be found there.
    pub(super) fn decision(&self, ask: &Ask<'_>, needed: u32) -> Decision {
        let both = ask.limits.iter().zip(&self.limits);
        let readings = both.map(|(limit, found)| reading(limit, *found, needed, self.now));
        let readings = readings.collect();
        Decision::new(
            ask.limits.clone(),
            readings,
            self.allowed > 0,
            ask.cost,
            self.now,
        )
    }
}

impl Found {
    /// For how long what was taken may be handed out: within the window it was counted in, and of a
    /// bucket for as long as `batch` takes to come back, or all that it holds.
    pub(super) fn lifetime(&self, limits: &[LimitSettings], batch: u32) -> Duration {
        let both = limits.iter().zip(&self.limits);
        let times = both.map(|(limit, found)| match Bucket::of(limit) {
            Some(bucket) => bucket.nanos(bucket.time_for(batch.min(limit.burst))) / NANOS_OF_MICRO,
            None => (found.numbers[0] + micros(limit)).saturating_sub(self.now),
        });
        Duration::from_micros(times.min().unwrap_or(0))
    }
}

/// What a limit says, in microseconds or, where it knows better, in nanoseconds.
struct Times {
    used: u32,
    reset: Duration,
    wait: Duration,
    refundable_until: u64,
}

fn reading(limit: &LimitSettings, found: FoundLimit, cost: u32, now: u64) -> Reading {
    let times = match Bucket::of(limit) {
        Some(bucket) => bucket_times(bucket, limit, found, cost, now),
        None if limit.algorithm == Algorithm::SlidingLog => log_times(limit, found, now),
        None => window_times(limit, found, cost, now),
    };
    // What does not fit by the script's coarser ticks does one tick later at the latest.
    let wait = times.wait.max(Duration::from_micros(tick(limit)));
    Reading {
        remaining: limit.capacity().saturating_sub(times.used),
        reset_after: times.reset,
        retry_after: if found.fits { Duration::ZERO } else { wait },
        refundable_until: times.refundable_until,
    }
}

fn bucket_times(
    bucket: Bucket,
    limit: &LimitSettings,
    found: FoundLimit,
    cost: u32,
    now: u64,
) -> Times {
    let [lacking, rest, _] = found.numbers;
    let full_at = now + lacking + u64::from(rest > 0);
    let lacking = bucket.joined(lacking, rest);
    let surplus = (lacking + bucket.time_for(cost)).saturating_sub(bucket.time_for(limit.burst));
    Times {
        used: bucket.tokens_in(lacking),
        reset: Duration::from_nanos(bucket.nanos(lacking)),
        wait: Duration::from_nanos(bucket.nanos(surplus)),
        refundable_until: full_at,
    }
}

fn log_times(limit: &LimitSettings, found: FoundLimit, now: u64) -> Times {
    let [used, wait, reset] = found.numbers;
    Times {
        used: count(used),
        reset: Duration::from_micros(reset),
        wait: Duration::from_micros(wait),
        refundable_until: now + micros(limit),
    }
}

fn window_times(limit: &LimitSettings, found: FoundLimit, cost: u32, now: u64) -> Times {
    let [start, count_now, before] = found.numbers;
    let window = micros(limit);
    let end = start + window;
    let windows = Sliding {
        quota: limit.quota,
        window,
        count: count(count_now),
        before: count(before),
        overlap: end.saturating_sub(now),
    };
    let (reset, wait) = if limit.algorithm == Algorithm::SlidingCounter {
        (windows.reset(), windows.wait(cost))
    } else {
        let reset = if count_now > 0 { windows.overlap } else { 0 };
        (reset, windows.overlap)
    };
    Times {
        used: windows.used(),
        reset: Duration::from_micros(reset),
        wait: Duration::from_micros(wait),
        refundable_until: end,
    }
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
