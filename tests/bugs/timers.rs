//! Group J: bodies that keep the runtime busy, and timers.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use resilient::{Rejection, resilient};
use tokio::time::{Instant, advance};

use crate::script::{Answer, Failure};

/// Wakes itself again and again; every thousandth time a millisecond has passed.
#[resilient(timeout = "100ms")]
async fn wakes_itself(polls: &mut u32) -> Answer {
    poll_fn(|cx| {
        *polls += 1;
        if polls.is_multiple_of(1_000) {
            // The clock moves in the first poll; what is left is to yield.
            let _ = pin!(advance(Duration::from_millis(1))).poll(cx);
        }
        if *polls == 1_000_000 {
            return Poll::Ready(Ok(200));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

// case J03
#[tokio::test(start_paused = true)]
async fn a_body_that_wakes_itself_does_not_starve_the_timer() {
    let begun = Instant::now();
    let mut polls = 0;
    let outcome = wakes_itself(&mut polls).await;
    assert!(
        matches!(outcome, Err(Failure::Rejected(Rejection::TimedOut { .. }))),
        "{outcome:?} after {polls} polls"
    );
    assert!(begun.elapsed() <= Duration::from_millis(200));
}

#[resilient(timeout = "100s", deadline = "200s", retry(max = 2), idempotent)]
async fn works_elsewhere() -> Result<u64, Failure> {
    let work = || (0..1_000_000_u64).fold(0, |sum, number| sum ^ number.rotate_left(7));
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Failure::Ignored)
}

// case J09
#[tokio::test(start_paused = true)]
async fn a_paused_clock_does_not_jump_while_work_is_done() {
    let begun = Instant::now();
    works_elsewhere().await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
}
