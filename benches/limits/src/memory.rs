//! What a million keys take up.

use governor::DefaultKeyedRateLimiter;
use resilient_benches::table::{Table, number};
use resilient_benches::target::{Bound::AtMost, Target};

use crate::AnyError;
use crate::limiters::{keys, ours, quota};

const KEYS: u32 = 1_000_000;

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Table, AnyError> {
    let keys = keys(KEYS);
    let text = f64::from(u32::try_from(keys[0].len())?);
    let limiter = ours(false)?;
    let here = allocated(|| {
        for key in &keys {
            let _ = limiter.try_acquire(key, 1);
        }
    });
    let governor = DefaultKeyedRateLimiter::<String>::keyed(quota()?);
    let there = allocated(|| {
        for key in &keys {
            let _ = governor.check_key(key);
        }
    });
    if limiter.snapshot().keys != u64::from(KEYS) || governor.len() != keys.len() {
        return Err("not all keys are remembered".into());
    }
    let title = "limits: a million keys of 12 bytes in memory";
    let columns = ["limiter", "bytes of a key", "over its text"];
    let mut table = Table::new(title, &columns);
    for (name, bytes) in [("resilient", here), ("governor", there)] {
        table.row(name, [number(bytes, 1), number(bytes - text, 1)]);
    }
    let what = "limits: bytes of a key over its text";
    targets.push(Target::new(what, here - text, AtMost(100.0)));
    Ok(table)
}

/// Bytes that are there afterwards, for each key.
#[expect(clippy::cast_precision_loss, reason = "a number to look at")]
fn allocated(fill: impl FnOnce()) -> f64 {
    allocation_counter::measure(fill).bytes_current as f64 / f64::from(KEYS)
}
