//! Saying what was not tested.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Writes one line about tests that were left out, once per process.
pub fn left_out(why: &str) {
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(why.to_owned()) {
        // Past the capture of the test harness, which shows the output of failed tests only; without
        // a standard error there is nobody to tell.
        let _ = writeln!(io::stderr(), "left out: {why}");
    }
}
