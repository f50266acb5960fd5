//! Options that a `macro_rules!` was given: each fragment arrives in an invisible group.
//! (rustfmt would move the lines of such an attribute further to the right each time it runs.)

use resilient::{Class, resilient};

use super::fallible::{Attempts, Failure, register_plenty, sendable};

#[rustfmt::skip]
macro_rules! as_expressions {
    ($name:ident, $order:ident, $max:expr, $base:expr, $factor:expr, $jitter:expr, $timeout:expr,
     $budget:expr, $key:expr, $classify:expr, $site:expr) => {
        #[resilient(
            retry(max = $max, base = $base, factor = $factor, jitter = $jitter),
            timeout = $timeout,
            budget = $budget,
            idempotency_key = $key,
            classify = $classify,
            name = $site
        )]
        async fn $name(attempts: &Attempts, $order: u32) -> Result<u32, Failure> {
            attempts.next().await.map(|call| call + $order)
        }
    };
}

as_expressions!(
    expressions,
    order,
    3,
    "0s",
    2.0,
    "none",
    "5s",
    "plenty",
    *order_of(&order),
    judged,
    "expressions"
);

#[rustfmt::skip]
macro_rules! as_literals {
    ($name:ident, $max:literal, $base:literal, $factor:literal, $jitter:literal, $timeout:literal,
     $budget:literal, $site:literal) => {
        #[resilient(
            retry(max = $max, base = $base, factor = $factor, jitter = $jitter),
            timeout = $timeout,
            budget = $budget,
            name = $site
        )]
        async fn $name(attempts: &Attempts) -> Result<u32, Failure> {
            attempts.next().await
        }
    };
}

as_literals!(literals, 3, "0s", 2.0, "none", "5s", "plenty", "literals");

mod reached {
    pub(crate) use resilient::__private;
}

#[rustfmt::skip]
macro_rules! as_paths {
    ($name:ident, $when:path, $reject:path, $library:path, $max:path, $argument:ident,
     $again:literal) => {
        #[resilient(
            retry(max = { $max }, base = "0s", when = $when),
            reject = $reject,
            crate = $library,
            clone($argument),
            idempotent = $again,
            budget = "plenty"
        )]
        async fn $name(attempts: &Attempts, $argument: String) -> Result<String, Failure> {
            attempts.next().await?;
            Ok($argument)
        }
    };
}

const MAX: u32 = 3;

as_paths!(
    paths,
    is_again,
    Failure::Refused,
    crate::fragments::reached,
    self::MAX,
    text,
    true
);

macro_rules! as_tokens {
    ($name:ident($attempts:ident, $($option:tt)*) $body:block) => {
        #[resilient($($option)*)]
        async fn $name($attempts: &Attempts) -> Result<u32, Failure> $body
    };
}

as_tokens!(tokens(attempts, retry(max = 3, base = "0s"), budget = "plenty") {
    attempts.next().await
});

macro_rules! as_meta {
    ($(#[$attribute:meta])* $visibility:vis $name:ident($($argument:ident: $ty:ty),*)
     -> $returns:ty, $value:expr) => {
        $(#[$attribute])*
        $visibility async fn $name($($argument: $ty),*) -> $returns { $value }
    };
}

as_meta! {
    #[resilient(retry(max = 3, base = "0s"), budget = "plenty", clone(text))]
    pub(crate) meta(attempts: &Attempts, text: String) -> Result<(u32, String), Failure>,
    attempts.next().await.map(|call| (call, text))
}

fn order_of(order: &u32) -> &u32 {
    order
}

fn judged(outcome: &Result<u32, Failure>) -> Class {
    match outcome {
        Ok(_) => Class::Success,
        Err(_) => Class::transient(),
    }
}

fn is_again(failure: &Failure) -> bool {
    *failure == Failure::Again
}

#[tokio::test]
async fn options_may_be_fragments() {
    register_plenty();
    assert_eq!(sendable(expressions(&Attempts::failing(2), 4)).await, Ok(7));
    assert_eq!(sendable(literals(&Attempts::failing(2))).await, Ok(3));
    let text = sendable(paths(&Attempts::failing(2), "text".to_owned())).await;
    assert_eq!(text.as_deref(), Ok("text"));
    assert_eq!(sendable(tokens(&Attempts::failing(2))).await, Ok(3));
    let outcome = sendable(meta(&Attempts::failing(2), "text".to_owned())).await;
    assert_eq!(outcome, Ok((3, "text".to_owned())));
}
