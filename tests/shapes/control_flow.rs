use resilient::resilient;

use super::fallible::{Attempts, Failure, register_plenty, sendable};

// shape 50, 52
#[resilient(retry(max = 3, base = "0s"), budget = "plenty")]
async fn early(attempts: &Attempts, text: &str) -> Result<u32, Failure> {
    attempts.next().await?;
    if text.is_empty() {
        return Ok(0);
    }
    let number: u32 = text.parse()?;
    if number > 9 {
        return Err(Failure::Never);
    }
    Ok(number)
}

// shape 53
#[resilient(retry(max = 3, base = "0s"))]
async fn labels(attempts: &Attempts) -> Result<u32, Failure> {
    attempts.next().await?;
    let five = 'found: {
        for n in 0.. {
            if n == 5 {
                break 'found n;
            }
        }
        0
    };
    Ok(five)
}

// shape 55
#[resilient(retry(max = 3, base = "0s"))]
async fn forever(attempts: &Attempts) -> Result<u32, Failure> {
    loop {
        if attempts.next().await? > 3 {
            return Ok(attempts.made());
        }
    }
}

#[resilient(retry(max = 3, base = "0s"))]
async fn diverging() -> Result<u32, Failure> {
    panic!("gone")
}

#[resilient(timeout = "1s")]
async fn diverging_once() -> Result<u32, Failure> {
    panic!("gone")
}

// shape 56
#[resilient(retry(max = 3, base = "0s"))]
async fn selects(attempts: &Attempts) -> Result<u32, Failure> {
    tokio::select! {
        outcome = attempts.next() => outcome,
        () = std::future::pending() => Err(Failure::Never),
    }
}

// shape 77
#[resilient(retry(max = 3, base = "0s"))]
async fn items(attempts: &Attempts) -> Result<u32, Failure> {
    use std::cmp::max;
    const LEAST: u32 = 2;
    fn twice(n: u32) -> u32 {
        n * 2
    }
    Ok(max(LEAST, twice(attempts.next().await?)))
}

// shape 58
#[resilient(retry(max = 3, base = "0s"))]
async fn closure(attempts: &Attempts, factor: u32) -> Result<u32, Failure> {
    let times = |n: u32| n * factor;
    Ok(times(attempts.next().await?))
}

#[tokio::test]
async fn statements_leave_the_attempt_and_not_the_call() {
    register_plenty();
    assert_eq!(sendable(early(&Attempts::failing(2), "")).await, Ok(0));
    assert_eq!(sendable(early(&Attempts::failing(2), "7")).await, Ok(7));
    assert_eq!(
        early(&Attempts::failing(2), "10").await,
        Err(Failure::Never)
    );
    let attempts = Attempts::failing(0);
    assert!(matches!(
        early(&attempts, "x").await,
        Err(Failure::Number(_))
    ));
    assert_eq!(attempts.made(), 1);

    assert_eq!(sendable(labels(&Attempts::failing(2))).await, Ok(5));
    assert_eq!(sendable(forever(&Attempts::failing(2))).await, Ok(4));
    assert_eq!(sendable(selects(&Attempts::failing(2))).await, Ok(3));
    assert_eq!(sendable(closure(&Attempts::failing(2), 5)).await, Ok(15));
    assert_eq!(sendable(items(&Attempts::failing(2))).await, Ok(6));
}

#[tokio::test]
async fn panics_are_the_callers() {
    let retried = tokio::spawn(diverging()).await.unwrap_err();
    assert!(retried.is_panic());
    let once = tokio::spawn(diverging_once()).await.unwrap_err();
    assert!(once.is_panic());
}
