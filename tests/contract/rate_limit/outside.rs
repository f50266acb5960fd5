//! Limiters over a store outside of the process, which takes a while to answer, or does not.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use resilient::rate_limit::{
    Ask, Decision, Limit, RateLimit, RateLimiter, Reading, Store, StoreError, StoreFuture,
};
use resilient::{Registry, Rejection, scope};
use tokio::time::sleep;

use super::{End, in_time, single};
use crate::script::{Failure, Script, poll_once};

/// A store that answers after so long, if at all.
#[derive(Clone, Copy, Debug)]
enum Answers {
    Room(u64),
    Error,
    Never,
}

impl Store for Answers {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move {
            match self {
                Answers::Room(time) => sleep(Duration::from_millis(*time)).await,
                Answers::Error => return Err(StoreError::new("connection lost")),
                Answers::Never => std::future::pending().await,
            }
            let readings = ask.limits.iter().map(|limit| Reading {
                remaining: limit.capacity(),
                ..Reading::default()
            });
            let limits = ask.limits.clone();
            Ok(Decision::new(limits, readings.collect(), true, ask.cost, 0))
        })
    }

    fn refund<'a>(&'a self, _: Ask<'a>, _: &'a Decision) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

fn over(answers: Answers) -> Registry {
    let limit = RateLimit::named("api").limit(Limit::gcra("steady", 1, "1s"));
    let registry = Registry::new();
    let limiter = RateLimiter::over(Arc::new(answers), limit).unwrap();
    registry.register_limiter(limiter).unwrap();
    registry
}

#[tokio::test(start_paused = true)]
async fn k2_t1_an_answer_is_waited_for_as_long_as_the_call_has_time() {
    for (answers, end, at, starts) in [
        (Answers::Room(30), End::Done, 30, &[30][..]),
        (Answers::Room(200), End::Deadline, 150, &[]),
        (Answers::Never, End::Deadline, 150, &[]),
    ] {
        let (registry, script) = (over(answers), Script::new(&[]));
        let answer = scope(&registry, in_time(&script)).await;
        assert_eq!(
            (End::of(&answer), script.elapsed()),
            (end, at),
            "{answers:?}"
        );
        assert_eq!(script.starts(), starts, "{answers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn k2_a_store_that_lets_nobody_decide_refuses() {
    let (registry, script) = (over(Answers::Error), Script::new(&[]));
    let refused = scope(&registry, single(&script)).await;
    let Err(Failure::Rejected(refusal @ Rejection::RateLimited { limit: None, .. })) = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(refusal.retry_in(), None);
    assert!(script.starts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn x1_a_call_can_be_dropped_while_the_store_is_asked() {
    let (registry, script) = (over(Answers::Never), Script::new(&[]));
    {
        let mut call = pin!(scope(&registry, single(&script)));
        assert!(poll_once(call.as_mut()).is_pending());
    }
    assert_eq!(registry.limiter("api").unwrap().snapshot().waiting, 0);
    assert!(script.starts().is_empty());
}
