//! Hands the library on, and a macro that writes protected functions.

pub use resilient as resilience;

/// A function that asks `$asked` until it has an answer.
#[macro_export]
macro_rules! ask {
    ($(#[$attribute:meta])* $name:ident($asked:ident: $ty:ty) -> $returns:ty $body:block) => {
        $(#[$attribute])*
        #[$crate::resilience::resilient(
            retry(max = 3, base = "0s"),
            crate = $crate::resilience
        )]
        pub async fn $name($asked: $ty) -> $returns $body
    };
}
