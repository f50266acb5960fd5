//! Times as plain numbers.

use std::time::Duration;

use serde::{Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    time.as_secs_f64().serialize(to)
}
