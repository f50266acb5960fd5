//! A limit, as the scripts are told it.

use resilient_core::rate_limit::{Algorithm, LimitSettings};

use super::bucket::{Bucket, micros};

/// How many words a limit is told in.
pub(super) const WORDS: usize = 8;

/// Products stay below this, where the doubles of the scripts are exact.
const EXACT: u64 = 1 << 52;

/// The words of a limit, for a request of `cost`. Of a refund, `full_at` is when the bucket would be
/// full again, had nothing been taken since.
pub(super) fn words(limit: &LimitSettings, cost: u32, full_at: u64) -> [String; WORDS] {
    match Bucket::of(limit) {
        Some(bucket) => bucket_words(bucket, limit, cost, full_at),
        None => window_words(limit),
    }
}

fn bucket_words(bucket: Bucket, limit: &LimitSettings, cost: u32, full_at: u64) -> [String; WORDS] {
    let (burst, burst_rest) = bucket.split(bucket.time_for(limit.burst));
    let (cost, cost_rest) = bucket.split(bucket.time_for(cost));
    [
        "bucket".to_owned(),
        bucket.parts.to_string(),
        bucket.token_text(),
        burst.to_string(),
        burst_rest.to_string(),
        cost.to_string(),
        cost_rest.to_string(),
        full_at.to_string(),
    ]
}

fn window_words(limit: &LimitSettings) -> [String; WORDS] {
    let kind = match limit.algorithm {
        Algorithm::SlidingCounter => "sliding",
        Algorithm::SlidingLog => "log",
        _ => "fixed",
    };
    let unused = String::new;
    [
        kind.to_owned(),
        limit.quota.to_string(),
        micros(limit).to_string(),
        tick(limit).to_string(),
        unused(),
        unused(),
        unused(),
        unused(),
    ]
}

/// In how many microseconds at once the overlap of windows is counted: 1, unless quota and window are
/// both so large that their product would not be exact.
pub(super) fn tick(limit: &LimitSettings) -> u64 {
    let product = u128::from(limit.quota) * u128::from(micros(limit));
    u64::try_from(product / u128::from(EXACT)).map_or(u64::MAX, |ticks| ticks + 1)
}
