//! The words for wrong options, and for options that do not fit each other.

use proc_macro2::TokenStream;
use quote::quote;

use super::{compare, mistakes};

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn wrong_options() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(),
            &["at least one policy is needed: `dependency = \"name\"`, `retry`"],
        ),
        (quote!(name = "f"), &["at least one policy is needed"]),
        (
            quote!(retry(mx = 4)),
            &["unknown option `mx` for `retry`; did you mean `max`?"],
        ),
        (
            quote!(retri(max = 4)),
            &["unknown option `retri`; did you mean `retry`?"],
        ),
        (
            quote!(foo = 1),
            &["unknown option `foo`; expected one of `dependency`, `retry`, `breaker`"],
        ),
        (
            quote!(hedging(after = "1s")),
            &["unknown option `hedging`; did you mean `hedge`?"],
        ),
        (
            quote!(hedge(delay = "1s")),
            &["unknown option `delay` for `hedge`; did you mean `after`?"],
        ),
        (
            quote!(hedge(timeout = "1s")),
            &["`timeout` belongs directly to `#[resilient(..)]`, not inside `hedge`"],
        ),
        (
            quote!(retry(after = "1s")),
            &["`after` belongs to `hedge`; `retry` knows `max`"],
        ),
        (
            quote!(hedge = "50ms"),
            &["`hedge` takes options: write `hedge(after = \"50ms\")`"],
        ),
        (
            quote!(hedge = 2),
            &["`hedge` takes options: write `hedge(max = 2)`"],
        ),
        (
            quote!(hedge = false),
            &["`hedge` is no switch; write `hedge` alone"],
        ),
        (
            quote!(hedge = "search"),
            &["`hedge` takes no name: write `hedge` alone, and `dependency = \"search\"`"],
        ),
        (
            quote!(hedge("50ms")),
            &["`hedge` takes options: write `hedge(after = \"50ms\")`"],
        ),
        (
            quote!(hedge(2)),
            &["`hedge` takes options: write `hedge(max = 2)`"],
        ),
        (
            quote!(hedge(per = "call")),
            &["`per` belongs to `breaker`; `hedge` knows `after`, `floor`, `max`"],
        ),
        (
            quote!(hedge(max_hedges = 1)),
            &["did you mean `max`, which counts the first one, too?"],
        ),
        (
            quote!(hedge(percentile = 95)),
            &["did you mean `after = \"p95\"`?"],
        ),
        (
            quote!(retry(max_retries = 3)),
            &["did you mean `max`, which counts the first one, too?"],
        ),
        (
            quote!(not_idempotent, retry),
            &["did you mean `idempotent = false`?"],
        ),
        (
            quote!(!idempotent, retry),
            &["an option is not negated; write `idempotent = false`"],
        ),
        (
            quote!(!payment, retry),
            &["expected an option such as `dependency = \"name\"`"],
        ),
        (
            quote!(timeout = "5s"; deadline = "9s"),
            &["options are separated by `,`, not by `;`"],
        ),
        (
            quote!(retry(max = 3).base("1s"), timeout = "5s"),
            &["options have no methods; write them in a list"],
        ),
        (
            quote!(circuit_breaker = "x"),
            &["unknown option `circuit_breaker`; did you mean `breaker`?"],
        ),
        (
            quote!(retry(attempts = 3)),
            &["unknown option `attempts` for `retry`; did you mean `max`?"],
        ),
        (
            quote!(max = 3),
            &["`max` belongs to `retry`: write `retry(max = ..)`"],
        ),
        (
            quote!(breaker(max = 3)),
            &["`max` belongs to `retry`; `breaker` knows `name`, `per`, `key`"],
        ),
        (
            quote!(retry(timeout = "1s")),
            &["`timeout` belongs directly to `#[resilient(..)]`, not inside `retry`"],
        ),
        (
            quote!(retry(max = 3, max = 4)),
            &["duplicate option `max`", "`max` is first given here"],
        ),
        (
            quote!(timeout = "1s", timeout = "2s"),
            &[
                "duplicate option `timeout`",
                "`timeout` is first given here",
            ],
        ),
        (
            quote!("payment"),
            &["a name needs an option in front: write `dependency = \"payment\"`"],
        ),
        (
            quote!(4),
            &["expected an option such as `dependency = \"name\"` or `retry(max = 4)`"],
        ),
        (
            quote!(retry("payment")),
            &["a name takes no parentheses: write `retry = \"payment\"`"],
        ),
        (
            quote!(retry(4)),
            &["`retry` takes options: write `retry(max = 4)`"],
        ),
        (
            quote!(breaker("payment")),
            &["a name takes no parentheses: write `breaker = \"payment\"`"],
        ),
        (
            quote!(breaker(failure_rate = 0.5)),
            &[
                "unknown option `failure_rate` for `breaker`; expected one of `name`, `per`, `key`; \
               what opens the breaker is registered with the dependency, not written here",
            ],
        ),
        (
            quote!(bulkhead(max_concurrent = 10)),
            &[
                "`bulkhead` only names a dependency, whose numbers are registered with it; \
               write `bulkhead = \"name\"`",
            ],
        ),
        (
            quote!(budget(10), dependency = "x"),
            &["`budget` only names a dependency"],
        ),
        (
            quote!(dependency("a")),
            &["`dependency` takes no parentheses; write `dependency = \"a\"`"],
        ),
        (
            quote!(dependency()),
            &["`dependency` needs the name of a dependency: `dependency = \"name\"`"],
        ),
        (
            quote!(bulkhead),
            &["`bulkhead` needs the name of a dependency: `bulkhead = \"name\"`"],
        ),
        (
            quote!(retry, idempotency_key(order.id)),
            &["`idempotency_key` takes no parentheses; write `idempotency_key = order.id`"],
        ),
        (
            quote!(retry, idempotent(false)),
            &["`idempotent` takes no parentheses; write `idempotent = false`"],
        ),
        (
            quote!(retry(when(is_transient))),
            &["`when` takes no parentheses; write `when = is_transient`"],
        ),
        (quote!(retry(max = 4) timeout = "5s"), &["expected `,`"]),
        (
            quote!(retry[max = 4]),
            &["write `retry(..)` with parentheses"],
        ),
        (
            quote!(retry = 4),
            &["`retry` takes options: write `retry(max = 4)`"],
        ),
        (
            quote!(breaker),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(breaker()),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(breaker(per = "call")),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(breaker(key = owned)),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(key = owned, retry),
            &["`key` belongs to `breaker`: write `breaker(key = ..)`"],
        ),
        (
            quote!(breaker(name = "x", key = owned, key = shared)),
            &[
                "duplicate option `key`; drop one",
                "`key` is first given here",
            ],
        ),
        (
            quote!(breaker(name = "x", key)),
            &["`key` needs a value: `key = shard.id`"],
        ),
        (
            quote!(breaker(name = "x", key(owned))),
            &["`key` takes no parentheses; write `key = owned`"],
        ),
        (
            quote!(timeout),
            &["`timeout` needs a value: `timeout = \"5s\"`"],
        ),
        (quote!(timeout =), &["`timeout` needs a value"]),
        (
            quote!(timeout(5)),
            &["`timeout` takes no parentheses; write for example `timeout = \"5s\"`"],
        ),
        (
            quote!(timeout("2s")),
            &["`timeout` takes no parentheses; write `timeout = \"2s\"`"],
        ),
    ];
    compare(table);
}

#[test]
fn options_that_do_not_fit_each_other() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(retry(base = "10s", cap = "1s")),
            &[
                "`base` (10s) is greater than `cap` (1s), so every delay would be cut; \
                 write a shorter `base` or a longer `cap`",
                "`cap` is given here",
            ],
        ),
        (
            quote!(timeout = "10s", deadline = "5s"),
            &[
                "`timeout` (10s) is longer than `deadline` (5s), so it can never fire; \
                 write a shorter `timeout` or a longer `deadline`",
                "`deadline` is given here",
            ],
        ),
        (
            quote!(retry(max = 1, base = "1s", jitter = "full")),
            &[
                "`base` has no effect when `max = 1`; drop it",
                "`jitter` has no effect when `max = 1`",
            ],
        ),
        (
            quote!(budget = "b"),
            &["`budget` limits retries and hedges; add `retry(..)` or `hedge(..)`"],
        ),
        (
            quote!(timeout = "1s", clone(owned)),
            &["`clone` is for arguments that a retry or a fallback needs again"],
        ),
        (
            quote!(timeout = "1s", idempotent),
            &["`idempotent` says what may be retried"],
        ),
        (
            quote!(retry, idempotent, idempotency_key),
            &[
                "`idempotent` is already said by `idempotency_key`; drop one",
                "`idempotency_key` is given here",
            ],
        ),
        (
            quote!(retry, idempotent = false, idempotency_key = owned),
            &[
                "`idempotent = false` contradicts `idempotency_key`; drop one",
                "`idempotency_key` is given here",
            ],
        ),
        (
            quote!(retry(when = f), classify = g),
            &["`when` and `classify` both decide what is retried; drop one"],
        ),
        (
            quote!(retry, clone(ownd)),
            &["no argument named `ownd`; did you mean `owned`?"],
        ),
        (
            quote!(retry, clone(other)),
            &["no argument named `other`; arguments: `owned`, `shared`, `unique`"],
        ),
        (
            quote!(retry, clone(shared)),
            &["`shared` is already a reference"],
        ),
        (
            quote!(retry, clone(unique)),
            &["`unique` is already a reference"],
        ),
        (
            quote!(retry, clone(self)),
            &["`self` cannot be cloned per attempt; take `&self`"],
        ),
        (
            quote!(retry, clone(owned, owned)),
            &["duplicate `owned` in `clone`"],
        ),
    ];
    compare(table);
}

#[test]
fn all_mistakes_are_told_at_once() {
    compare(vec![(
        quote!(
            retri(max = 4),
            breaker(nam = "x"),
            timeout = "5",
            retry(max = 0, cap = 3)
        ),
        &[
            "unknown option `retri`; did you mean `retry`?",
            "unknown option `nam` for `breaker`; did you mean `name`?",
            "a duration needs a unit",
            "`max` counts attempts",
            "expected a duration in a string",
        ],
    )]);
}

#[test]
fn right_options_are_not_refused() {
    for arguments in [
        quote!(retry),
        quote!(retry(),),
        quote!(retry(max = 1)),
        quote!(retry(max = { MAX }, base = "0s")),
        quote!(breaker(per = "attempt"), dependency = "x"),
        quote!(budget = "b", dependency = "x"),
        quote!(idempotency_key = key::<u8, u16>(&owned), timeout = "1s"),
        quote!(retry, idempotent = true),
        quote!(timeout = "5s", deadline = "5s"),
        quote!(timeout = { self::TIMEOUT }, retry(max = { super::MAX })),
        quote!(timeout = "10s", deadline = { DEADLINE }),
    ] {
        assert_eq!(mistakes(arguments.clone()), [""; 0], "{arguments}");
    }
}
