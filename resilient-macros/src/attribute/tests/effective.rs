//! What the documentation of a function says about its options.

use proc_macro2::TokenStream;
use quote::quote;

use crate::attribute::effective::effective;
use crate::attribute::parse::parse;
use crate::diagnostic::Errors;

pub(super) fn compare(table: Vec<(TokenStream, &[&str])>) {
    for (arguments, expected) in table {
        let source = arguments.to_string();
        let mut errors = Errors::new();
        let options = parse(arguments, &mut errors);
        errors.finish().unwrap();
        let lines = effective(&options);
        assert_eq!(lines[..3], ["", "# Effective policy", ""], "{source}");
        assert_eq!(lines[3..], *expected, "{source}");
    }
}

#[test]
fn what_the_attribute_sets_is_told() {
    compare(vec![
        (
            quote!(
                retry(
                    max = 4,
                    jitter = "full",
                    base = "100ms",
                    factor = 1.5,
                    cap = "20s"
                ),
                breaker = "payment",
                timeout = "5s",
                deadline = "15s",
                idempotency_key = order.id
            ),
            &[
                "- Up to 4 attempts, with full jitter, a first delay of 100ms, \
                     growing by a factor of 1.5, no delay longer than 20s.",
                "- Each attempt is cut after 5s.",
                "- The whole call takes at most 15s.",
                "- Guarded by the breaker of `payment`.",
                "- Said to be safe to repeat under its idempotency key.",
            ],
        ),
        (
            quote!(
                retry(
                    max = { limits::MAX },
                    base = { Limits::<u8>::BASE },
                    factor = { FACTOR },
                    jitter = "none",
                    retry_after_cap = "1m 30s",
                    nested = "suppress",
                    when = Error::passes
                ),
                budget = { BUDGET },
                breaker(name = { BREAKER }, per = "call", key = shard.id),
                bulkhead = "pool",
                timeout = { TIMEOUT },
                idempotent = false
            ),
            &[
                "- Up to `limits::MAX` attempts, with no jitter, \
                     a first delay of `Limits::<u8>::BASE`, growing by a factor of `FACTOR`.",
                "- A dependency's `Retry-After` is followed if it is at most 1m 30s.",
                "- One attempt only inside the retries of another call.",
                "- Retries count against the budget of `BUDGET`.",
                "- Each attempt is cut after `TIMEOUT`.",
                "- Guarded by the breaker of `BREAKER`, another one for each `shard.id`, with one verdict per call.",
                "- Each attempt takes a permit of the bulkhead of `pool`.",
                "- Errors are retried if `Error::passes` says so.",
                "- Said to be unsafe to repeat: only what was certainly not sent is retried.",
            ],
        ),
    ]);
}

#[test]
fn what_is_left_open_is_told_without_numbers() {
    compare(vec![
        (
            quote!(dependency = "payment"),
            &[
                "- Whether it is safe to repeat is not said.",
                "- As registered for `payment`: retries, budget, breaker, bulkhead, timeout, \
                     deadline.",
            ],
        ),
        (
            quote!(
                dependency = "payment",
                retry,
                timeout = "1500us",
                idempotent
            ),
            &[
                "- Up to as many attempts as registered.",
                "- Each attempt is cut after 1ms 500us.",
                "- Said to be safe to repeat.",
                "- As registered for `payment`: other retry settings, budget, \
                     breaker, bulkhead, deadline.",
            ],
        ),
        (
            quote!(
                dependency = "payment",
                breaker(per = "attempt"),
                retry = "other",
                idempotent
            ),
            &[
                "- Retried with the numbers registered for `other`.",
                "- Guarded by the breaker of `payment`, with one verdict per attempt.",
                "- Said to be safe to repeat.",
                "- As registered for `payment`: bulkhead, timeout, deadline.",
            ],
        ),
        (
            quote!(
                retry(max = 1),
                classify = judge::<u32>,
                fallback = Cache::last(order)
            ),
            &[
                "- One attempt.",
                "- Outcomes are classified by `judge::<u32>`.",
                "- A failure that is not permanent is answered by `Cache::last`.",
                "- Whether it is safe to repeat is not said.",
            ],
        ),
        (
            quote!(retry, idempotent),
            &[
                "- Up to the default number of attempts.",
                "- Said to be safe to repeat.",
            ],
        ),
        (
            quote!(
                timeout = "5s",
                fallback(call = last(order), timeout = "200ms")
            ),
            &[
                "- Each attempt is cut after 5s.",
                "- A failure that is not permanent is answered by `last` within 200ms.",
            ],
        ),
        (quote!(timeout = "5s"), &["- Each attempt is cut after 5s."]),
        (
            quote!(timeout = { of("`") }),
            &["- Each attempt is cut after `` of(\"`\") ``."],
        ),
    ]);
}
