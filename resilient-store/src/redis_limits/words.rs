//! A limit, as the scripts are told it.

use resilient_core::rate_limit::LimitSettings;

use super::bucket::{Bucket, micros};
use super::kind::Kind;

/// Products stay below this, where the doubles of the scripts are exact.
const EXACT: u64 = 1 << 52;

/// The words of a limit, for a request of `cost`. Of a refund, `full_at` is when the bucket would be
/// full again, had nothing been taken since.
pub(super) fn words(limit: &LimitSettings, cost: u32, full_at: u64) -> Vec<String> {
    let counted = || [limit.quota.to_string(), micros(limit).to_string()];
    match (Kind::of(limit), Bucket::of(limit)) {
        (Kind::Bucket, Some(bucket)) => bucket_words(bucket, limit, cost, full_at),
        (Kind::Sliding, _) => [&counted()[..], &[tick(limit).to_string()]].concat(),
        _ => counted().to_vec(),
    }
}

fn bucket_words(bucket: Bucket, limit: &LimitSettings, cost: u32, full_at: u64) -> Vec<String> {
    let (burst, burst_rest) = bucket.split(bucket.time_for(limit.burst));
    let (cost, cost_rest) = bucket.split(bucket.time_for(cost));
    vec![
        bucket.parts.to_string(),
        bucket.token_text(),
        burst.to_string(),
        burst_rest.to_string(),
        cost.to_string(),
        cost_rest.to_string(),
        full_at.to_string(),
    ]
}

/// In how many microseconds at once the overlap of windows is counted: 1, unless quota and window are
/// both so large that their product would not be exact.
pub(super) fn tick(limit: &LimitSettings) -> u64 {
    let product = u128::from(limit.quota) * u128::from(micros(limit));
    u64::try_from(product / u128::from(EXACT)).map_or(u64::MAX, |ticks| ticks + 1)
}

#[cfg(test)]
mod tests {
    use resilient_core::rate_limit::{Limit, RateLimit};

    use super::*;

    fn settings(limit: Limit) -> LimitSettings {
        let limits = RateLimit::named("api").limit(limit).settings().unwrap();
        limits.limits.into_iter().next().unwrap()
    }

    /// Cases R05 and R27: exact wherever it can be, and no clock of this process in it.
    #[test]
    fn r05_r27_what_scripts_are_told() {
        let of = |limit, cost, full_at| words(&settings(limit), cost, full_at).join(" ");
        let sliding = Limit::sliding_counter("l", 1_000_000, "1h");
        assert_eq!(of(sliding, 1, 0), "1000000 3600000000 1");
        // 1 s / 3 is 333 333 1/3 us; as whole nanoseconds it is rounded up.
        let third = Limit::token_bucket("l", 3, "1s").burst(4);
        let told = of(third, 2, 9);
        assert_eq!(told, "3 333333.333333333 1333333 1 666666 2 9");
        let third = Limit::gcra("l", 3, "1s").burst(4);
        let told = of(third, 2, 9);
        assert_eq!(told, "1000 333333.334000000 1333333 336 666666 668 9");
    }

    /// As many as the scripts count them to be.
    #[test]
    fn r26_each_kind_has_its_number_of_words() {
        for limit in [
            Limit::fixed("l", 1, "1s"),
            Limit::sliding_counter("l", 1, "1s"),
            Limit::sliding_log("l", 1, "1s"),
            Limit::token_bucket("l", 1, "1s"),
            Limit::gcra("l", 1, "1s"),
        ] {
            let limit = settings(limit);
            let told = words(&limit, 1, 0).len();
            assert_eq!(told, Kind::of(&limit).words(), "{limit:?}");
        }
    }

    #[test]
    fn products_of_the_largest_numbers_stay_exact() {
        let limit = settings(Limit::sliding_counter("l", u32::MAX, "3650d"));
        let ticks = micros(&limit).div_ceil(tick(&limit));
        assert!(u128::from(ticks) * u128::from(limit.quota) < 1 << 53);
    }
}
