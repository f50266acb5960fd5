use std::time::Duration;

use resilient::{Class, resilient};

use super::fallible::{Attempts, Failure, register_plenty};

mod limits {
    use super::Duration;

    pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
    pub(crate) const MAX: u32 = 4;
    pub(crate) const FACTOR: f64 = 1.5;
    pub(crate) const NAME: &str = "limited";
}

#[resilient(
    retry(
        max = { limits::MAX },
        base = { Duration::ZERO },
        cap = "1s",
        factor = { limits::FACTOR },
        jitter = "none",
        retry_after_cap = { limits::TIMEOUT.saturating_mul(2) }
    ),
    timeout = { limits::TIMEOUT },
    deadline = "1m",
    name = { limits::NAME },
    idempotent
)]
async fn constants(attempts: &Attempts) -> Result<u32, Failure> {
    attempts.next().await
}

struct Limits {
    attempts: u32,
}

const LIMITS: Limits = Limits { attempts: 3 };

mod attempts {
    pub(crate) const BASE: std::time::Duration = std::time::Duration::ZERO;
}

/// What an argument is called may also be the name of a field or a module.
#[resilient(
    retry(max = { LIMITS.attempts }, base = { attempts::BASE }),
    budget = "plenty",
    timeout = { self::limits::TIMEOUT }
)]
async fn same_names(attempts: &Attempts) -> Result<u32, Failure> {
    attempts.next().await
}

fn ok_below_three_is_too_low(outcome: &Result<u32, Failure>) -> Class {
    match outcome {
        Ok(call) if *call < 3 => Class::transient(),
        Ok(_) => Class::Success,
        Err(_) => Class::Permanent,
    }
}

#[resilient(retry(max = 3, base = "0s"), classify = ok_below_three_is_too_low)]
async fn judged(attempts: &Attempts) -> Result<u32, Failure> {
    attempts.next().await
}

/// The library as an application would see it that renamed it or got it through another crate.
mod renamed {
    pub(crate) use resilient::*;
}

#[derive(Debug, PartialEq, renamed::Classify)]
#[classify(crate = crate::options::renamed)]
enum Renamed {
    #[transient]
    Again,
    #[classify(source)]
    Refused(Failure),
}

impl From<renamed::Rejection> for Renamed {
    fn from(rejection: renamed::Rejection) -> Self {
        Renamed::Refused(rejection.into())
    }
}

#[renamed::resilient(
    retry(max = 3, base = "0s"),
    budget = "plenty",
    crate = crate::options::renamed
)]
async fn through_a_facade(attempts: &Attempts) -> Result<u32, Renamed> {
    attempts.next().await.map_err(|_| Renamed::Again)
}

struct Order {
    id: String,
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key = order.id, clone(order))]
async fn keyed_by_field(
    attempts: &Attempts,
    order: std::sync::Arc<Order>,
) -> Result<usize, Failure> {
    attempts.next().await?;
    let order = std::convert::identity(order);
    Ok(order.id.len())
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key = *key)]
async fn keyed_by_expression(attempts: &Attempts, key: &u64) -> Result<u64, Failure> {
    attempts.next().await?;
    Ok(*key)
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key = format_args!("order-{id}"))]
async fn keyed_by_text(attempts: &Attempts, id: u64) -> Result<String, Failure> {
    attempts.next().await?;
    let key = resilient::context()
        .idempotency_key()
        .map(ToString::to_string);
    Ok(key.unwrap_or_default())
}

#[tokio::test]
async fn constants_are_read_by_the_compiler() {
    let attempts = Attempts::failing(3);
    assert_eq!(constants(&attempts).await, Ok(4));

    register_plenty();
    assert_eq!(same_names(&Attempts::failing(2)).await, Ok(3));
}

#[tokio::test]
async fn the_library_may_have_another_name() {
    register_plenty();
    assert_eq!(through_a_facade(&Attempts::failing(2)).await, Ok(3));
    assert_eq!(
        through_a_facade(&Attempts::failing(3)).await,
        Err(Renamed::Again)
    );
}

#[tokio::test]
async fn an_ok_can_be_a_failure() {
    let attempts = Attempts::failing(0);
    assert_eq!(judged(&attempts).await, Ok(3));
}

#[tokio::test]
async fn a_key_is_looked_at_and_never_taken() {
    let order = std::sync::Arc::new(Order {
        id: "four".to_owned(),
    });
    assert_eq!(keyed_by_field(&Attempts::failing(2), order).await, Ok(4));
    assert_eq!(keyed_by_expression(&Attempts::failing(2), &7).await, Ok(7));
    let key = keyed_by_text(&Attempts::failing(2), 7).await;
    assert_eq!(key.as_deref(), Ok("order-7"));
}
