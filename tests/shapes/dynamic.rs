//! Errors that do not say what they are by their type.

use anyhow::{Context, bail};
use resilient::resilient;

use super::fallible::{Attempts, Failure, register_plenty, sendable};

#[resilient(
    retry(max = 3, base = "0s"),
    classify = resilient::classify::chained,
    budget = "plenty"
)]
async fn opaque(attempts: &Attempts, text: &str) -> anyhow::Result<u32> {
    attempts.next().await.context("asked in vain")?;
    let number: u32 = text.parse()?;
    if number == 0 {
        bail!("zero");
    }
    Ok(number)
}

// shape 43
/// `chained` knows the errors of the standard library, not those of an application.
#[resilient(
    retry(max = 3, base = "0s", when = is_again),
    budget = "plenty"
)]
async fn judged(attempts: &Attempts, text: &str) -> anyhow::Result<u32> {
    attempts.next().await.context("asked in vain")?;
    Ok(text.parse()?)
}

fn is_again(error: &anyhow::Error) -> bool {
    error.downcast_ref() == Some(&Failure::Again)
}

#[tokio::test]
async fn anyhow_errors_are_judged_by_a_function() {
    register_plenty();
    let attempts = Attempts::failing(2);
    assert_eq!(sendable(judged(&attempts, "7")).await.unwrap(), 7);
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(0);
    let error = sendable(opaque(&attempts, "0")).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), attempts.made()), ("zero", 1));
}
