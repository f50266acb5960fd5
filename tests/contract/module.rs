//! A client's retries as a course on reliability teaches them: by lists of statuses and of errors, with
//! waits of 1, 2, 4 and 8 seconds and a tenth of jitter.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use hyper::{Response, StatusCode};
use resilient::budget::Budget;
use resilient::classify::http_1;
use resilient::retry::{Jitter, Retry};
use resilient::{Breaker, Dependency, Registry, resilient, scope};
use tokio::time::Instant;

fn policy() -> Dependency {
    Dependency::named("orders")
        .retry(
            Retry::max(3)
                .base("1s")
                .factor(2.0)
                .cap("10s")
                .jitter(Jitter::Proportional),
        )
        .timeout("30s")
        .deadline("2min")
        .budget(Budget::unlimited())
        .breaker(Breaker::disabled())
}

/// Asks a server that gives these answers, one after the other.
#[resilient(dependency = "orders", idempotent, classify = http_1)]
async fn fetch(
    asked: &Cell<usize>,
    answers: &[Result<u16, io::ErrorKind>],
) -> io::Result<Response<()>> {
    let number = asked.get();
    asked.set(number + 1);
    let mut answer = Response::new(());
    *answer.status_mut() = StatusCode::from_u16(answers[number]?).expect("a status");
    Ok(answer)
}

/// The last answer, how often the server was asked, and how long all of it took.
async fn fetched(
    policy: Dependency,
    answers: &[Result<u16, io::ErrorKind>],
) -> (Result<u16, io::ErrorKind>, usize, Duration) {
    let registry = Registry::seeded(1);
    registry.register(policy).unwrap();
    let (asked, begun) = (Cell::new(0), Instant::now());
    let answer = scope(&registry, fetch(&asked, answers)).await;
    let answer = answer
        .map(|answer| answer.status().as_u16())
        .map_err(|error| error.kind());
    (answer, asked.get(), begun.elapsed())
}

mod which_failures_are_repeated {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn statuses_of_the_list_and_no_others() {
        for status in [502, 503, 504, 429] {
            let (answer, asked, _) = fetched(policy(), &[Ok(status), Ok(200)]).await;
            assert_eq!((answer, asked), (Ok(200), 2), "{status}");
        }
        for status in [200, 201, 304, 400, 401, 403, 404, 409, 422, 500, 501] {
            let (answer, asked, took) = fetched(policy(), &[Ok(status)]).await;
            assert_eq!((answer, asked), (Ok(status), 1), "{status}");
            assert_eq!(took, Duration::ZERO, "{status}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn errors_of_the_list_and_no_others() {
        use io::ErrorKind::{
            ConnectionRefused, ConnectionReset, InvalidData, PermissionDenied, TimedOut,
        };
        for kind in [ConnectionReset, TimedOut, ConnectionRefused] {
            let (answer, asked, _) = fetched(policy(), &[Err(kind), Ok(200)]).await;
            assert_eq!((answer, asked), (Ok(200), 2), "{kind:?}");
        }
        for kind in [InvalidData, PermissionDenied] {
            let (answer, asked, _) = fetched(policy(), &[Err(kind)]).await;
            assert_eq!((answer, asked), (Err(kind), 1), "{kind:?}");
        }
    }

    /// The last answer itself, where the course throws an error in place of a status.
    #[tokio::test(start_paused = true)]
    async fn the_last_failure_is_what_the_caller_gets() {
        let (answer, asked, _) = fetched(policy(), &[Ok(502), Ok(503), Ok(504)]).await;
        assert_eq!((answer, asked), (Ok(504), 3));
    }
}

mod how_long_it_waits {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_two_four_eight_seconds_and_up_to_a_tenth_more() {
        let four = Retry::max(5).base("1s").factor(2.0).cap("10s");
        for (jitter, least, most) in [
            (Jitter::None, 15_000, 15_000),
            (Jitter::Proportional, 15_000, 16_504),
        ] {
            let dependency = policy().retry(four.clone().jitter(jitter));
            let (_, asked, took) = fetched(dependency, &[Ok(503); 5]).await;
            let took = took.as_millis();
            assert_eq!(asked, 5);
            assert!((least..=most).contains(&took), "{jitter:?}: {took}");
        }
    }

    /// The course adds the jitter to a delay that was cut to the longest one, and so exceeds it.
    #[tokio::test(start_paused = true)]
    async fn never_longer_than_the_longest_delay() {
        let capped = Retry::max(2)
            .base("10s")
            .cap("10s")
            .jitter(Jitter::Proportional);
        for _ in 0..20 {
            let (_, _, took) = fetched(policy().retry(capped.clone()), &[Ok(503); 2]).await;
            assert!(took <= Duration::from_secs(10), "{took:?}");
        }
    }
}
