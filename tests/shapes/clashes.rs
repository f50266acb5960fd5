//! Names of the user that an expansion could take for those of the language.

use super::fallible::{Attempts, Failure, sendable};

/// Variants that are in scope by their short names.
mod variants {
    #[allow(dead_code)]
    pub(crate) enum Answer {
        Ok,
        Err,
        Some,
        None,
    }
}

#[allow(dead_code)]
mod types {
    pub(crate) type Result<T> = std::result::Result<T, super::Failure>;
    pub(crate) struct Box;
    pub(crate) struct Duration;
    pub(crate) struct Future;
    pub(crate) struct Option;
    pub(crate) struct Pin;
    pub(crate) struct String;
    pub(crate) trait Clone {}
    pub(crate) trait From {}
    pub(crate) trait Send {}
    pub(crate) trait Sync {}
}

macro_rules! users_own {
    ($($name:ident)*) => {
        $(
            #[allow(unused_macros)]
            macro_rules! $name {
                () => {
                    compile_error!("the user's own macro")
                };
            }
        )*
    };
}

users_own! { module_path file line }

// case N18
#[allow(unused_imports)]
mod annotated {
    use super::Attempts;
    use super::types::*;
    use super::variants::Answer::*;

    #[resilient::resilient(
        retry(max = 3, base = "0s", jitter = "full"),
        timeout = "5s",
        deadline = "1m",
        idempotency_key = body,
        clone(body)
    )]
    pub(crate) async fn call(attempts: &Attempts, body: std::string::String) -> Result<u32> {
        drop(body);
        attempts.next().await
    }

    #[resilient::resilient(timeout = "5s")]
    pub(crate) async fn once(attempts: &Attempts) -> Result<u32> {
        attempts.next().await
    }
}

/// Bindings of an expansion must not be taken for these.
#[allow(non_upper_case_globals)]
mod constants {
    use super::{Attempts, Failure};

    pub(crate) const attempt: u8 = 1;
    pub(crate) const error: u8 = 2;
    pub(crate) const key: u8 = 4;
    pub(crate) const r: u8 = 8;
    pub(crate) const SITE: u8 = 16;

    #[resilient::resilient(retry(max = 3, base = "0s"), timeout = "5s", idempotency_key = key)]
    pub(crate) async fn sum(attempts: &Attempts, __ret: u8) -> Result<u8, Failure> {
        attempts.next().await?;
        Ok(attempt + error + key + r + SITE + __ret)
    }
}

#[tokio::test]
async fn short_names_are_the_users() {
    let attempts = Attempts::failing(2);
    let outcome = sendable(annotated::call(&attempts, "body".to_owned())).await;
    assert_eq!((outcome, attempts.made()), (Ok(3), 3));
    assert_eq!(annotated::once(&Attempts::failing(0)).await, Ok(1));
    assert_eq!(constants::sum(&Attempts::failing(2), 32).await, Ok(63));
}
