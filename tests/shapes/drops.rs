//! What is dropped when: as in the function without the attribute, as far as there is one attempt
//! to speak of. `docs/macro.md` tells it in words.

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Waker};

use resilient::resilient;

use super::fallible::{Attempts, Failure};

type Log = Mutex<Vec<&'static str>>;

/// Notes when it is dropped.
struct Noted<'a>(&'a Log, &'static str);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(self.1);
    }
}

impl Clone for Noted<'_> {
    fn clone(&self) -> Self {
        Noted(self.0, "clone")
    }
}

/// The same function under different attributes.
macro_rules! looking {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        async fn $name(
            attempts: &Attempts,
            used: Noted<'_>,
            _: Noted<'_>,
            (left, _): (Noted<'_>, Noted<'_>),
            _unused: Noted<'_>,
            last: Noted<'_>,
        ) -> Result<u32, Failure> {
            let _outer = Noted(used.0, "outer");
            let _inner = Noted(last.0, "inner");
            let call = attempts.next().await;
            left.0.lock().unwrap().push("end");
            call
        }
    };
}

looking!(bare_looking);
looking!(
    #[resilient(timeout = "1s")]
    once_looking
);
looking!(
    #[resilient(retry(max = 3, base = "0s"), idempotent)]
    retried_looking
);

/// Moves one of its arguments, perhaps.
macro_rules! moving {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        async fn $name(
            attempts: &Attempts,
            moved: Noted<'_>,
            last: Noted<'_>,
            really: bool,
        ) -> Result<u32, Failure> {
            let call = attempts.next().await?;
            if really {
                drop(moved);
            }
            last.0.lock().unwrap().push("end");
            Ok(call)
        }
    };
}

moving!(bare_moving);
moving!(
    #[resilient(timeout = "1s")]
    once_moving
);
moving!(
    #[resilient(retry(max = 3, base = "0s"), idempotent, clone(moved))]
    retried_moving
);

macro_rules! arguments {
    ($log:ident) => {
        (
            Noted($log, "used"),
            Noted($log, "_"),
            (Noted($log, "left"), Noted($log, "right")),
            Noted($log, "unused"),
            Noted($log, "last"),
        )
    };
}

/// What `run` leaves in a log.
fn noted<R>(run: impl FnOnce(&Log) -> R) -> Vec<&'static str> {
    let log = Log::default();
    run(&log);
    log.into_inner().unwrap()
}

/// Polls a future that waits once per attempt until it is ready, or so many times.
fn poll<F: Future>(future: F, most: usize) {
    let mut future = pin!(future);
    for _ in 0..most {
        let polled = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        if polled.is_ready() {
            break;
        }
    }
}

/// Each function with a log, on a dependency that fails so often, polled so often.
macro_rules! looked {
    ($name:ident, $failing:expr, $most:expr) => {
        noted(|log| {
            let (used, ignored, pair, unused, last) = arguments!(log);
            let attempts = Attempts::failing($failing);
            poll($name(&attempts, used, ignored, pair, unused, last), $most);
        })
    };
}

macro_rules! moved {
    ($name:ident, $failing:expr, $most:expr, $really:expr) => {
        noted(|log| {
            let (moved, last) = (Noted(log, "moved"), Noted(log, "last"));
            let attempts = Attempts::failing($failing);
            poll($name(&attempts, moved, last, $really), $most);
        })
    };
}

const TO_THE_END: usize = 9;

#[tokio::test]
async fn one_attempt_drops_what_a_plain_function_drops() {
    for (failing, most) in [(0, 0), (0, 1), (0, TO_THE_END), (1, TO_THE_END)] {
        let plain = looked!(bare_looking, failing, most);
        assert_eq!(looked!(once_looking, failing, most), plain);
        if failing == 0 {
            assert_eq!(looked!(retried_looking, failing, most), plain);
        }
    }
}

#[tokio::test]
async fn a_failed_attempt_drops_its_variables_before_the_next_and_no_argument() {
    let arguments = ["last", "unused", "left", "right", "_", "used"];
    let attempt = ["end", "inner", "outer"];
    let twice = [&attempt[..], &attempt, &arguments].concat();
    assert_eq!(looked!(retried_looking, 1, TO_THE_END), twice);
}

#[tokio::test]
async fn an_argument_that_the_body_may_move_is_the_attempts() {
    // Moved, it is gone at the same place.
    let plain = moved!(bare_moving, 0, TO_THE_END, true);
    assert_eq!(plain, ["moved", "end", "last"]);
    assert_eq!(moved!(once_moving, 0, TO_THE_END, true), plain);

    // Not moved, or not yet: it goes with the attempt, and so before the arguments behind it.
    for (failing, most, rest) in [
        (0, TO_THE_END, &["end"][..]),
        (1, TO_THE_END, &[]),
        (0, 1, &[]),
    ] {
        let plain = moved!(bare_moving, failing, most, false);
        assert_eq!(plain, [rest, &["last", "moved"]].concat());
        let once = moved!(once_moving, failing, most, false);
        assert_eq!(once, [rest, &["moved", "last"]].concat());
    }
}

#[tokio::test]
async fn a_clone_is_its_attempts_and_the_original_the_calls() {
    for (really, expected) in [
        (false, ["clone", "end", "clone", "last", "moved"]),
        (true, ["clone", "clone", "end", "last", "moved"]),
    ] {
        assert_eq!(moved!(retried_moving, 1, TO_THE_END, really), expected);
    }
}
