use super::fallible::{Attempts, Failure, sendable};

// shape 64, 65; case N17
/// Everything an expansion could be tempted to call by its short name.
mod shadowed {
    #![no_implicit_prelude]
    #![allow(dead_code)]

    mod core {}
    mod std {}
    struct Result;
    struct Option;
    struct Ok;
    struct Err;
    struct Some;
    struct None;
    struct Duration;
    struct Clone;
    struct Call;
    struct Site;
    fn drop() {}
    const OUT: u8 = 0;

    #[::resilient::resilient(
        retry(max = 3, base = "0s", factor = 2.0, jitter = "full"),
        timeout = "5s",
        deadline = "1m",
        idempotency_key,
        clone(body)
    )]
    pub(crate) async fn call(
        attempts: &super::Attempts,
        body: ::std::string::String,
    ) -> ::std::result::Result<::std::string::String, super::Failure> {
        match attempts.next().await {
            ::std::result::Result::Ok(_) => ::std::result::Result::Ok(body),
            ::std::result::Result::Err(error) => ::std::result::Result::Err(error),
        }
    }
}

/// Constants named like variables of an expansion would become patterns.
#[allow(non_upper_case_globals)]
mod constants {
    use super::{Attempts, Failure};

    pub(crate) const call: u8 = 0;
    pub(crate) const out: u8 = 0;
    pub(crate) const last: u8 = 0;
    pub(crate) const site: u8 = 0;

    #[resilient::resilient(retry(max = 3, base = "0s"))]
    pub(crate) async fn named(attempts: &Attempts, ret: u8) -> Result<u8, Failure> {
        attempts.next().await?;
        Ok(ret + call + out + last + site)
    }
}

// shape 63
/// Arguments named like variables of an expansion.
#[resilient::resilient(retry(max = 3, base = "0s"), clone(call, out, last))]
async fn arguments(
    attempts: &Attempts,
    call: String,
    mut out: String,
    last: String,
    ret: &mut String,
) -> Result<String, Failure> {
    out.push_str(&last);
    ret.push('x');
    attempts.next().await?;
    Ok(call + &out)
}

// case N23
#[resilient::resilient(retry(max = 3, base = "0s"))]
async fn r#move(attempts: &Attempts, r#type: u8, r#fn: &str) -> Result<usize, Failure> {
    attempts.next().await?;
    Ok(r#fn.len() + usize::from(r#type))
}

macro_rules! functions {
    ($name:ident, $of:ident: $ty:ty, $number:ident, $returns:ty, $max:expr, $body:block) => {
        #[resilient::resilient(retry(max = $max, base = "0s"))]
        async fn $name($of: $ty, mut $number: u32) -> $returns $body
    };
}

// shape 57
functions!(made, attempts: &Attempts, number, Result<u32, Failure>, 3, {
    number += 1;
    attempts.next().await?;
    Ok(number)
});

struct Emitted(Attempts);

macro_rules! methods {
    ($($name:ident: $value:expr;)*) => {
        impl Emitted {
            $(
                #[resilient::resilient(retry(max = 3, base = "0s"))]
                async fn $name(&mut self, text: &mut String) -> Result<u32, Failure> {
                    text.push('x');
                    self.0.next().await?;
                    Ok($value)
                }
            )*
        }
    };
}

// case N13
methods! {
    one: 1;
    two: 1 + 1;
}

/// One name in two impls of one module: what the attribute writes beside the body must not clash.
struct Left;
struct Right;

impl Left {
    #[resilient::resilient(retry(max = 2, base = "0s"))]
    async fn fetch(&self, attempts: &Attempts) -> Result<u32, Failure> {
        attempts.next().await
    }
}

impl Right {
    #[resilient::resilient(retry(max = 2, base = "0s"))]
    async fn fetch(&self, attempts: &Attempts) -> Result<u32, Failure> {
        attempts.next().await
    }
}

// shape 37, 38; case N06, N07
/// Kept as written.
#[must_use = "a future does nothing by itself"]
#[deprecated(note = "warns callers, not the expansion")]
#[inline]
#[resilient::resilient(retry(max = 2, base = "0s"))]
pub(crate) async fn attributed(attempts: &Attempts) -> Result<u32, Failure> {
    #![allow(unused_variables)]
    let unused = 1;
    attempts.next().await
}

/// Text is appended to each kind of documentation, and no lint minds it:
///
/// - also behind a list
#[doc = "and behind text that was not written as a comment."]
#[doc(alias = "described", hidden)]
#[resilient::resilient(retry(max = 2, base = "0s"), idempotent, deadline = { DEADLINE })]
pub(crate) async fn documented(attempts: &Attempts) -> Result<u32, Failure> {
    const DEADLINE: std::time::Duration = std::time::Duration::from_secs(5);

    /// One function in another.
    #[resilient::resilient(retry(max = 2, base = "0s"), idempotent, deadline = { DEADLINE })]
    async fn inner(attempts: &Attempts) -> Result<u32, Failure> {
        attempts.next().await
    }
    inner(attempts).await
}

const DEADLINE: std::time::Duration = std::time::Duration::from_secs(9);

/// Left out from either side.
#[cfg(any())]
#[resilient::resilient(retry(max = 2, base = "0s"), idempotent)]
async fn left_out(attempts: &Nothing) -> Result<u32, Nothing> {
    attempts.next().await
}

#[resilient::resilient(retry(max = 2, base = "0s"), idempotent)]
#[cfg(any())]
async fn left_out(attempts: &Nothing) -> Result<u32, Nothing> {
    attempts.next().await
}

#[tokio::test]
async fn nothing_of_the_users_is_in_the_way() {
    let attempts = Attempts::failing(2);
    let body = sendable(shadowed::call(&attempts, "body".to_owned())).await;
    assert_eq!(body.as_deref(), Ok("body"));
    assert_eq!(attempts.made(), 3);

    let (call, out, last) = ("a".to_owned(), "b".to_owned(), "c".to_owned());
    let mut ret = String::new();
    let outcome = sendable(arguments(&Attempts::failing(2), call, out, last, &mut ret)).await;
    assert_eq!((outcome.as_deref(), &*ret), (Ok("abc"), "xxx"));

    assert_eq!(constants::named(&Attempts::failing(2), 4).await, Ok(4));
    assert_eq!(
        sendable(r#move(&Attempts::failing(2), 1, "ab")).await,
        Ok(3)
    );
}

#[tokio::test]
async fn macros_may_write_the_function() {
    assert_eq!(sendable(made(&Attempts::failing(2), 4)).await, Ok(5));
    let mut text = String::new();
    assert_eq!(Emitted(Attempts::failing(2)).one(&mut text).await, Ok(1));
    assert_eq!(Emitted(Attempts::failing(2)).two(&mut text).await, Ok(2));
    assert_eq!(text, "xxxxxx");
}

#[tokio::test]
async fn neighbours_and_attributes() {
    assert_eq!(Left.fetch(&Attempts::failing(1)).await, Ok(2));
    assert_eq!(Right.fetch(&Attempts::failing(1)).await, Ok(2));
    assert_eq!(documented(&Attempts::failing(1)).await, Ok(2));
    #[allow(deprecated)]
    let outcome = attributed(&Attempts::failing(1)).await;
    assert_eq!(outcome, Ok(2));
}
