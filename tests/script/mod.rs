//! A dependency that does what a script says, and remembers when it was asked.

pub(crate) mod row;
pub(crate) mod told;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::{Class, Classify, Dependency, Policy, Registry, Rejection};
use tokio::time::Instant;

/// What a scripted attempt ends with.
#[derive(Debug, PartialEq, thiserror::Error, Classify)]
pub(crate) enum Failure {
    #[error("connection lost")]
    #[transient]
    Transient,
    #[error("connection refused")]
    #[transient(unsent)]
    Unsent,
    #[error("told to wait {0:?}")]
    #[throttled(retry_after = 0)]
    Throttled(Duration),
    #[error("told to wait, but not how long")]
    #[throttled]
    Busy,
    #[error("broken")]
    #[fault]
    Fault,
    #[error("no such thing")]
    #[permanent]
    Permanent,
    #[error("our own mistake")]
    #[ignored]
    Ignored,
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

/// One attempt of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Succeeds.
    S,
    /// Answers with this value: from 500 on it is no success, see [`by_value`].
    Value(u32),
    /// Fails: transient.
    F,
    /// Fails: transient, and certainly not sent.
    Unsent,
    /// Fails: throttled, with a hint in milliseconds.
    Throttled(u64),
    /// Fails: throttled, without a hint.
    Busy,
    Fault,
    Permanent,
    Ignored,
    /// Never answers.
    Hang,
    /// Succeeds after so many milliseconds.
    SlowS(u64),
    /// Fails, transient, after so many milliseconds.
    SlowF(u64),
    /// Succeeds after so many milliseconds in which it does not yield, as blocking code does.
    BlockS(u64),
    /// Fails, transient, after so many milliseconds in which it does not yield.
    BlockF(u64),
    /// Fails, permanent, after so many milliseconds.
    SlowPermanent(u64),
    /// Fails with a rejection of its own.
    Rejected,
    /// Panics.
    Panic,
}

pub(crate) type Answer = Result<u32, Failure>;

/// Takes answers from 500 on for transient failures.
pub(crate) fn by_value(answer: &Answer) -> Class {
    match answer {
        Ok(500..) => Class::transient(),
        Ok(_) => Class::Success,
        Err(failure) => failure.class(),
    }
}

/// A dependency that follows a script; past its end it succeeds.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    steps: VecDeque<Step>,
    begun: Instant,
    starts: Vec<u64>,
    running: Arc<()>,
}

impl Script {
    pub(crate) fn new(steps: &[Step]) -> Self {
        Script {
            inner: Arc::new(Mutex::new(Inner {
                steps: steps.iter().copied().collect(),
                begun: Instant::now(),
                starts: Vec::new(),
                running: Arc::new(()),
            })),
        }
    }

    /// When each attempt started, in milliseconds since the script was made.
    pub(crate) fn starts(&self) -> Vec<u64> {
        self.inner.lock().unwrap().starts.clone()
    }

    /// How many attempts are running.
    pub(crate) fn running(&self) -> usize {
        Arc::strong_count(&self.inner.lock().unwrap().running) - 1
    }

    /// Milliseconds since the script was made.
    pub(crate) fn elapsed(&self) -> u64 {
        millis(self.inner.lock().unwrap().begun.elapsed())
    }

    /// The next attempt.
    pub(crate) async fn attempt(&self) -> Answer {
        let (step, _running) = {
            let mut inner = self.inner.lock().unwrap();
            let at = millis(inner.begun.elapsed());
            inner.starts.push(at);
            (
                inner.steps.pop_front().unwrap_or(Step::S),
                inner.running.clone(),
            )
        };
        match step {
            Step::S => Ok(200),
            Step::Value(value) => Ok(value),
            Step::F => Err(Failure::Transient),
            Step::Unsent => Err(Failure::Unsent),
            Step::Throttled(hint) => Err(Failure::Throttled(Duration::from_millis(hint))),
            Step::Busy => Err(Failure::Busy),
            Step::Fault => Err(Failure::Fault),
            Step::Permanent => Err(Failure::Permanent),
            Step::Ignored => Err(Failure::Ignored),
            Step::Hang => std::future::pending().await,
            Step::SlowS(time) => {
                tokio::time::sleep(Duration::from_millis(time)).await;
                Ok(200)
            }
            Step::SlowF(time) => {
                tokio::time::sleep(Duration::from_millis(time)).await;
                Err(Failure::Transient)
            }
            Step::BlockS(time) => {
                block(time).await;
                Ok(200)
            }
            Step::BlockF(time) => {
                block(time).await;
                Err(Failure::Transient)
            }
            Step::SlowPermanent(time) => {
                tokio::time::sleep(Duration::from_millis(time)).await;
                Err(Failure::Permanent)
            }
            Step::Rejected => Err(Failure::Rejected(Rejection::DeadlineExceeded {
                after: Duration::ZERO,
            })),
            Step::Panic => panic!("as scripted"),
        }
    }
}

/// Lets time pass without being pending.
async fn block(time: u64) {
    let mut advance = std::pin::pin!(tokio::time::advance(Duration::from_millis(time)));
    // The clock moves in the first poll; what is left is to yield.
    std::future::poll_fn(|cx| {
        let _ = advance.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap()
}

/// Polls once, so that a call has begun and stands where its script makes it wait.
pub(crate) fn poll_once<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A registry with `dependency` in it, and its policy.
pub(crate) fn registered(dependency: Dependency, name: &str) -> (Registry, Policy) {
    let registry = Registry::seeded(1);
    registry
        .register(dependency)
        .expect("the dependency is well configured");
    let policy = registry
        .policy(name)
        .expect("it was just registered")
        .idempotent();
    (registry, policy)
}
