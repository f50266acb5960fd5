use std::fmt;

use resilient::{Class, Rejection, resilient};

use super::fallible::{Attempts, Failure, register_plenty, sendable};

type Answer<T> = Result<T, Failure>;

// shape 42
#[resilient(retry(max = 3, base = "0s"))]
async fn alias(attempts: &Attempts) -> Answer<u32> {
    attempts.next().await
}

#[resilient(retry(max = 3, base = "0s"))]
async fn nothing(attempts: &Attempts) -> Result<(), Failure> {
    attempts.next().await?;
    Ok(())
}

// shape 45; case N01
#[resilient(retry(max = 3, base = "0s"))]
async fn opaque(attempts: &Attempts, n: u32) -> Result<impl Iterator<Item = u32>, Failure> {
    attempts.next().await?;
    let double = |step| step * 2;
    Ok((0..n).map(double))
}

// case N03
#[resilient(retry(max = 3, base = "0s"))]
async fn coerced(attempts: &Attempts) -> Result<Box<dyn FnOnce() -> u32 + Send + Sync>, Failure> {
    let call = attempts.next().await?;
    Ok(Box::new(move || call))
}

// shape 51
#[resilient(retry(max = 3, base = "0s"))]
async fn inferred(attempts: &Attempts) -> Result<Vec<u64>, Failure> {
    let call = attempts.next().await?;
    Ok((0..call).map(Into::into).collect())
}

// shape 20
#[resilient(retry(max = 3, base = "0s"))]
async fn borrowed<'a>(attempts: &Attempts, text: &'a str) -> Result<&'a str, Failure> {
    attempts.next().await?;
    Ok(&text[..1])
}

// case N27
#[resilient(retry(max = 3, base = "0s"))]
async fn elided(text: &str, at: Position<'_>) -> Result<char, Failure> {
    at.attempts.next().await?;
    text.chars().nth(at.index).ok_or(Failure::Never)
}

struct Position<'a> {
    attempts: &'a Attempts,
    index: usize,
}

#[derive(Debug, PartialEq)]
enum Impossible {}

// shape 46
#[resilient(retry(max = 3, base = "0s"))]
async fn impossible(attempts: &Attempts) -> Result<Impossible, Failure> {
    attempts.next().await?;
    Err(Failure::Never)
}

trait Store {
    type Error: From<Rejection> + resilient::Classify + Send;

    fn load(&self) -> Result<u32, Self::Error>;
}

impl Store for Attempts {
    type Error = Failure;

    fn load(&self) -> Result<u32, Failure> {
        self.next_now()
    }
}

// shape 49
#[resilient(retry(max = 3, base = "0s"))]
async fn associated<S: Store + Sync>(store: &S) -> Result<u32, S::Error> {
    store.load()
}

/// Stands for the errors that cannot say what they mean: `anyhow`, `Box<dyn Error>`.
type Boxed = Box<dyn std::error::Error + Send + Sync>;

fn of_boxed<T>(outcome: &Result<T, Boxed>) -> Class {
    match outcome {
        Ok(_) => Class::Success,
        Err(error) if error.is::<Failure>() => Class::transient(),
        Err(_) => Class::Permanent,
    }
}

// shape 44
#[resilient(retry(max = 3, base = "0s"), classify = of_boxed::<u32>)]
async fn boxed(attempts: &Attempts, text: &str) -> Result<u32, Boxed> {
    attempts.next().await?;
    let number: u32 = text.parse()?;
    if number == 0 {
        return Err("zero".into());
    }
    Ok(number)
}

#[derive(Debug, PartialEq)]
struct Foreign(bool);

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("foreign")
    }
}

impl Foreign {
    fn is_transient(&self) -> bool {
        self.0
    }

    #[allow(clippy::needless_pass_by_value)]
    fn refused(_: Rejection) -> Self {
        Foreign(false)
    }

    fn of(failure: &Failure) -> Self {
        Foreign(*failure == Failure::Again)
    }
}

#[resilient(
    retry(max = 3, base = "0s", when = Foreign::is_transient),
    reject = Foreign::refused,
    budget = "plenty"
)]
async fn foreign(attempts: &Attempts) -> Result<u32, Foreign> {
    attempts
        .next()
        .await
        .map_err(|failure| Foreign::of(&failure))
}

#[tokio::test]
async fn any_result_can_be_returned() {
    assert_eq!(sendable(alias(&Attempts::failing(2))).await, Ok(3));
    assert_eq!(sendable(nothing(&Attempts::failing(2))).await, Ok(()));
    assert_eq!(
        sendable(elided(
            "abc",
            Position {
                attempts: &Attempts::failing(2),
                index: 1
            }
        ))
        .await,
        Ok('b')
    );
    assert_eq!(
        sendable(inferred(&Attempts::failing(2))).await,
        Ok(vec![0, 1, 2])
    );
    assert_eq!(
        sendable(borrowed(&Attempts::failing(2), "abc")).await,
        Ok("a")
    );
    assert_eq!(
        sendable(impossible(&Attempts::failing(2))).await,
        Err(Failure::Never)
    );
    assert_eq!(sendable(associated(&Attempts::failing(2))).await, Ok(3));

    let attempts = Attempts::failing(2);
    let numbers: Vec<u32> = sendable(opaque(&attempts, 3)).await.unwrap().collect();
    assert_eq!(numbers, [0, 2, 4]);
    let call = sendable(coerced(&Attempts::failing(2))).await.unwrap();
    assert_eq!(call(), 3);
}

#[tokio::test]
async fn any_error_can_be_judged() {
    assert_eq!(
        sendable(boxed(&Attempts::failing(2), "5")).await.unwrap(),
        5
    );
    let attempts = Attempts::failing(0);
    assert_eq!(boxed(&attempts, "0").await.unwrap_err().to_string(), "zero");
    assert_eq!(attempts.made(), 1);

    register_plenty();
    assert_eq!(sendable(foreign(&Attempts::failing(2))).await, Ok(3));
    let attempts = Attempts::failing(3);
    assert_eq!(foreign(&attempts).await, Err(Foreign(true)));
    assert_eq!(attempts.made(), 3);
}
