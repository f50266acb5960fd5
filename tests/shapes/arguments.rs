use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

/// Takes by value what a generic callee would take: a moved reference is gone.
fn consume<T>(value: T) -> T {
    value
}

#[resilient(retry(max = 3, base = "0s"))]
async fn borrowed(attempts: &Attempts, text: &str) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(consume(text).len())
}

// shape 10
#[resilient(retry(max = 3, base = "0s"))]
async fn owned(attempts: &Attempts, text: String) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(text.len())
}

// shape 12; case N20
#[resilient(retry(max = 3, base = "0s"), clone(text, r#type))]
async fn moved(attempts: &Attempts, text: String, r#type: String) -> Result<String, Failure> {
    let whole = consume(text) + &consume(r#type);
    attempts.next().await?;
    Ok(whole)
}

// shape 4, 5, 6
#[resilient(retry(max = 3, base = "0s"))]
async fn exclusive(
    attempts: &Attempts,
    seen: &mut Vec<u32>,
    text: &mut String,
) -> Result<usize, Failure> {
    consume(seen).push(attempts.made());
    text.push('x');
    attempts.next().await?;
    Ok(consume(text).len())
}

// shape 14
#[resilient(retry(max = 3, base = "0s"))]
async fn changing(attempts: &Attempts, mut count: u32) -> Result<u32, Failure> {
    count += 1;
    attempts.next().await?;
    Ok(count)
}

#[resilient(retry(max = 3, base = "0s"), clone(words))]
async fn changing_clone(attempts: &Attempts, mut words: Vec<u32>) -> Result<Vec<u32>, Failure> {
    words.push(9);
    attempts.next().await?;
    Ok(words)
}

struct Pair {
    left: u32,
    right: String,
}

// shape 16, 17
#[resilient(retry(max = 3, base = "0s"), clone(name))]
async fn patterns(
    attempts: &Attempts,
    (first, mut second): (u32, u32),
    &third: &u32,
    Pair { left, right: name }: Pair,
    [head, ..]: [u32; 3],
    Pair { left: lent, .. }: &Pair,
    _: u32,
) -> Result<(u32, String), Failure> {
    second += 1;
    let name = consume(name);
    attempts.next().await?;
    Ok((first + second + third + left + head + lent, name))
}

// shape 18, 23; case N04
#[resilient(retry(max = 3, base = "0s"))]
async fn generic<T, const N: usize>(
    attempts: &Attempts,
    parts: [T; N],
    separator: impl AsRef<str> + Send + Sync,
) -> Result<String, Failure>
where
    T: AsRef<str> + Send + Sync,
{
    attempts.next().await?;
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    Ok(parts.join(separator.as_ref()))
}

// shape 41; case N11
#[resilient(retry(max = 3, base = "0s"))]
async fn gated<#[cfg(any())] T>(
    attempts: &Attempts,
    #[cfg(any())] absent: T,
    #[cfg(any())] mut also_absent: u8,
    #[allow(unused_variables)] unused: u8,
    #[allow(unused_variables, unused_mut)] mut unused_too: u8,
    _ignored: u8,
    _lent: &mut u8,
    present: u8,
) -> Result<u8, Failure> {
    attempts.next().await?;
    Ok(present)
}

#[resilient(retry(max = 3, base = "0s"))]
async fn many_times(
    attempts: &Attempts,
    mut callback: &mut (dyn FnMut(u32) + Send),
) -> Result<(), Failure> {
    callback(attempts.made());
    let again = &mut callback;
    again(7);
    attempts.next().await?;
    Ok(())
}

#[resilient(timeout = "5s")]
async fn run_once(
    attempts: &Attempts,
    mut text: String,
    callback: impl FnOnce(String) -> usize,
) -> Result<usize, Failure> {
    text.push('!');
    attempts.next().await?;
    Ok(callback(text))
}

#[tokio::test]
async fn references_are_lent_to_each_attempt() {
    let attempts = Attempts::failing(2);
    assert_eq!(sendable(borrowed(&attempts, "four")).await, Ok(4));
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(2);
    let (mut seen, mut text) = (Vec::new(), String::new());
    let length = sendable(exclusive(&attempts, &mut seen, &mut text)).await;
    assert_eq!(length, Ok(3));
    assert_eq!(seen, [0, 1, 2]);

    let attempts = Attempts::failing(1);
    let mut heard = Vec::new();
    let outcome = sendable(many_times(&attempts, &mut |call| heard.push(call))).await;
    assert_eq!(outcome, Ok(()));
    assert_eq!(heard, [0, 7, 1, 7]);
}

#[tokio::test]
async fn values_are_the_same_in_each_attempt() {
    let attempts = Attempts::failing(2);
    assert_eq!(sendable(owned(&attempts, "four".to_owned())).await, Ok(4));
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(2);
    let whole = sendable(moved(&attempts, "ab".to_owned(), "cd".to_owned())).await;
    assert_eq!(whole.as_deref(), Ok("abcd"));
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(2);
    assert_eq!(sendable(changing(&attempts, 1)).await, Ok(2));
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(2);
    let words = sendable(changing_clone(&attempts, vec![1])).await;
    assert_eq!(words, Ok(vec![1, 9]));
    assert_eq!(attempts.made(), 3);
}

#[tokio::test]
async fn patterns_bind_once() {
    let attempts = Attempts::failing(2);
    let pair = Pair {
        left: 8,
        right: "right".to_owned(),
    };
    let lent = Pair {
        left: 32,
        right: String::new(),
    };
    let outcome = sendable(patterns(&attempts, (1, 2), &4, pair, [16, 0, 0], &lent, 0)).await;
    assert_eq!(outcome, Ok((64, "right".to_owned())));
    assert_eq!(attempts.made(), 3);
}

#[tokio::test]
async fn generics_and_cfgs() {
    let attempts = Attempts::failing(1);
    let joined = sendable(generic(&attempts, ["a", "b"], String::from("-"))).await;
    assert_eq!(joined.as_deref(), Ok("a-b"));

    let attempts = Attempts::failing(1);
    let present = sendable(gated(&attempts, 1, 2, 3, &mut 4, 5)).await;
    assert_eq!(present, Ok(5));
}

#[tokio::test]
async fn one_attempt_may_consume_everything() {
    let attempts = Attempts::failing(0);
    let length = run_once(&attempts, "four".to_owned(), |text| text.len()).await;
    assert_eq!(length, Ok(5));
}
