//! `rate_limit`: what it expands to, what is documented, and mistakes in it.

use quote::quote;

use super::compare;
use super::effective::compare as documented;
use super::expansion::snapshot;

#[test]
fn a_request_is_described_before_the_attempts() {
    snapshot(
        "rate_limit",
        quote!(
            retry(max = 3),
            rate_limit(
                limiter = "api",
                key = user.id,
                cost = items.len() as u32,
                max_wait = "200ms"
            )
        ),
        quote! {
            async fn search(user: &User, items: &[Item]) -> Result<Found, SearchError> {
                find(items).await
            }
        },
    );
}

#[test]
fn a_limiter_alone_leaves_the_function_as_it_would_be() {
    snapshot(
        "rate_limit_fixed",
        quote!(rate_limit(
            limiter = { API },
            cost = 5,
            max_wait = { limits::WAIT }
        )),
        quote! {
            async fn search(query: &str) -> Result<Found, SearchError> {
                find(query).await
            }
        },
    );
}

#[test]
fn what_the_limit_asks_for_is_told() {
    documented(vec![
        (
            quote!(rate_limit = "api"),
            &[
                "- Each attempt takes 1 from the rate limiter `api`, and waits as long as registered \
                 for it.",
            ],
        ),
        (
            quote!(rate_limit(
                limiter = { API },
                key = user.id,
                cost = { COST },
                max_wait = "200ms"
            )),
            &[
                "- Each attempt takes `COST` from the rate limiter `API`, counted for each `user.id`, \
                 and waits up to 200ms for it.",
            ],
        ),
        (
            quote!(rate_limit(limiter = "api", cost = *size, max_wait = "0s")),
            &[
                "- Each attempt takes `*size` from the rate limiter `api`, and does not wait for it.",
            ],
        ),
    ]);
}

#[test]
fn what_does_not_fit_a_limit() {
    let limit = |more| quote!(rate_limit(limiter = "api", #more));
    compare(vec![
        (quote!(rate_limit = "api"), &[]),
        (quote!(rate_limit(limiter = { API })), &[]),
        (limit(quote!(key = owned, cost = *unique as u32)), &[]),
        (limit(quote!(cost = { COST }, max_wait = "0s")), &[]),
        (
            quote!(rate_limit),
            &["`rate_limit` needs a value: `rate_limit = \"api\"`"],
        ),
        (
            quote!(rate_limit()),
            &["`rate_limit` needs the name of a limiter"],
        ),
        (quote!(rate_limit = api), &["write `rate_limit = \"api\"`"]),
        (
            quote!(rate_limit = 5),
            &["expected a string, found an integer"],
        ),
        (quote!(rate_limit("api")), &["write `rate_limit = \"api\"`"]),
        (quote!(rate_limit(5)), &["`limiter = \"api\"`"]),
        (
            limit(quote!(key = "k")),
            &["or leave `key` out for one count"],
        ),
        (limit(quote!(key)), &["`key` needs a value"]),
        (limit(quote!(cost = 0)), &["a `cost` of 0 takes nothing"]),
        (limit(quote!(cost = -1)), &["a whole number from 1 to"]),
        (
            limit(quote!(cost = 4294967296)),
            &["a whole number from 1 to"],
        ),
        (limit(quote!(cost = 1.5)), &["found a float"]),
        (limit(quote!(cost = "5")), &["write `cost = 5`"]),
        (
            limit(quote!(cost = "much")),
            &["an expression of the arguments"],
        ),
        (
            limit(quote!(cost = { unique })),
            &["`unique` is an argument"],
        ),
        (
            limit(quote!(max_wait = "soon")),
            &["expected a number at `soon`"],
        ),
        (limit(quote!(weight = 5)), &["did you mean `cost`?"]),
        (limit(quote!(wait = "1s")), &["did you mean `max_wait`?"]),
        (limit(quote!(name = "api")), &["did you mean `limiter`?"]),
        (
            limit(quote!(burst = 5)),
            &["quotas are registered with the limiter"],
        ),
        (
            limit(quote!(limiter = "maps")),
            &["duplicate option `limiter`", "first given here"],
        ),
        (
            quote!(limiter = "api", retry),
            &["write `rate_limit(limiter = ..)`"],
        ),
        (quote!(ratelimit = "api"), &["did you mean `rate_limit`?"]),
        (quote!(quota = 5), &["did you mean `rate_limit`?"]),
    ]);
}
