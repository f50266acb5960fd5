//! What lives how long in a body is decided by the edition it was written in, not by the macro's.

use std::convert::TryFrom;
use std::sync::Mutex;

use resilient::resilient;

use super::fallible::{Attempts, Failure};

/// Notes when it is dropped.
struct Noted<'a>(&'a Mutex<Vec<&'static str>>, &'static str);

impl Noted<'_> {
    fn value(&self) -> Result<u32, Failure> {
        u32::try_from(self.1.len()).map_err(|_| Failure::Never)
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(self.1);
    }
}

// case N29
#[resilient(retry(max = 3, base = "0s"))]
async fn retried(log: &Mutex<Vec<&'static str>>) -> Result<u32, Failure> {
    let _local = Noted(log, "local");
    Noted(log, "temporary").value()
}

#[resilient(timeout = "1s")]
async fn once(log: &Mutex<Vec<&'static str>>) -> Result<u32, Failure> {
    let _local = Noted(log, "local");
    Noted(log, "temporary").value()
}

#[allow(clippy::unused_async)]
async fn bare(log: &Mutex<Vec<&'static str>>) -> Result<u32, Failure> {
    let _local = Noted(log, "local");
    Noted(log, "temporary").value()
}

#[resilient(retry(max = 3, base = "0s"))]
async fn guard(attempts: &Mutex<Attempts>) -> Result<u32, Failure> {
    attempts.lock().unwrap().next_now()
}

#[tokio::test]
async fn temporaries_are_dropped_as_without_the_attribute() {
    let log = Mutex::new(Vec::new());
    bare(&log).await.unwrap();
    let expected = std::mem::take(&mut *log.lock().unwrap());

    retried(&log).await.unwrap();
    assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
    once(&log).await.unwrap();
    assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
}

#[tokio::test]
async fn guards_of_the_last_expression_are_released() {
    assert_eq!(guard(&Mutex::new(Attempts::failing(2))).await, Ok(3));
}
