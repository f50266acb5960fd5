//! Which options exist where, and what an unknown one was meant to be.

use std::fmt::Display;

use proc_macro2::Ident;
use syn::{Lit, LitStr, Path};

use crate::diagnostic::{listed, nearest};

/// Where an option is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Directly in `#[resilient(..)]`.
    Attribute,
    /// In `retry(..)`.
    Retry,
    /// In `breaker(..)`.
    Breaker,
    /// In `rate_limit(..)`.
    RateLimit,
    /// In `hedge(..)`.
    Hedge,
    /// In `fallback(..)`.
    Fallback,
    /// In `idempotent(..)`.
    Idempotent,
}

const NOT_IDEMPOTENT: &str = "idempotent = false";
const QUANTILE: &str = "after = \"p95\"";

/// What other libraries call our options, and what tired fingers make of them.
const OTHER_WORDS: [(Place, &str, &str); 59] = [
    (Place::Attribute, "circuit_breaker", "breaker"),
    (Place::Attribute, "concurrency", "bulkhead"),
    (Place::Attribute, "max_concurrent", "bulkhead"),
    (Place::Attribute, "idempotency", "idempotency_key"),
    (Place::Attribute, "key", "idempotency_key"),
    (Place::Attribute, "not_idempotent", NOT_IDEMPOTENT),
    (Place::Attribute, "non_idempotent", NOT_IDEMPOTENT),
    (Place::Attribute, "retries", "retry"),
    (Place::Attribute, "attempts", "retry(max = ..)"),
    (Place::Attribute, "max_attempts", "retry(max = ..)"),
    (Place::Attribute, "total_timeout", "deadline"),
    (Place::Attribute, "attempt_timeout", "timeout"),
    (Place::Retry, "attempts", "max"),
    (Place::Retry, "max_attempts", "max"),
    (Place::Retry, "times", "max"),
    (Place::Retry, "tries", "max"),
    (Place::Retry, "retries", "max"),
    (Place::Retry, "max_retries", "max"),
    (Place::Retry, "delay", "base"),
    (Place::Retry, "initial_delay", "base"),
    (Place::Retry, "min_delay", "base"),
    (Place::Retry, "interval", "base"),
    (Place::Retry, "wait", "base"),
    (Place::Retry, "max_delay", "cap"),
    (Place::Retry, "multiplier", "factor"),
    (Place::Retry, "backoff", "factor"),
    (Place::Retry, "max_backoff", "cap"),
    (Place::Retry, "if", "when"),
    (Place::Retry, "retry_if", "when"),
    (Place::Attribute, "rate_limiter", "rate_limit"),
    (Place::Attribute, "quota", "rate_limit"),
    (Place::RateLimit, "name", "limiter"),
    (Place::RateLimit, "user", "key"),
    (Place::RateLimit, "by", "key"),
    (Place::RateLimit, "weight", "cost"),
    (Place::RateLimit, "tokens", "cost"),
    (Place::RateLimit, "permits", "cost"),
    (Place::RateLimit, "wait", "max_wait"),
    (Place::RateLimit, "timeout", "max_wait"),
    (Place::Attribute, "hedging", "hedge"),
    (Place::Hedge, "delay", "after"),
    (Place::Hedge, "quantile", QUANTILE),
    (Place::Hedge, "percentile", QUANTILE),
    (Place::Hedge, "min", "floor"),
    (Place::Hedge, "copies", "max"),
    (Place::Hedge, "max_hedges", "max"),
    (Place::Fallback, "function", "call"),
    (Place::Fallback, "with", "call"),
    (Place::Idempotent, "ledger", "store"),
    (Place::Idempotent, "side_effects", "effects"),
    (Place::Idempotent, "expires", "ttl"),
    (Place::Idempotent, "expires_in", "ttl"),
    (Place::Idempotent, "transaction", "tx"),
    (Place::Idempotent, "payload", "fingerprint"),
    (Place::Idempotent, "body", "fingerprint"),
    (Place::Idempotent, "tenant", "scope"),
    (Place::Idempotent, "user", "scope"),
    (Place::Idempotent, "caller", "scope"),
    (Place::Idempotent, "keep_errors", "store_errors"),
];

/// What is said about a value that stands where options belong.
pub(crate) fn takes_options(policy: &str, option: &str, value: impl Display) -> String {
    format!("`{policy}` takes options: write `{policy}({option} = {value})`")
}

/// Whether `text` says a time or a quantile, and not the name of a dependency.
fn is_time(text: &LitStr) -> bool {
    let text = text.value();
    let number = text.strip_prefix(['p', 'P']).unwrap_or(&text);
    number.starts_with(|letter: char| letter.is_ascii_digit())
}

impl Place {
    const ALL: [Place; 7] = [
        Place::Attribute,
        Place::Retry,
        Place::Breaker,
        Place::RateLimit,
        Place::Hedge,
        Place::Fallback,
        Place::Idempotent,
    ];

    fn options(self) -> &'static [&'static str] {
        match self {
            Place::Attribute => &[
                "dependency",
                "retry",
                "breaker",
                "timeout",
                "deadline",
                "bulkhead",
                "rate_limit",
                "budget",
                "hedge",
                "idempotency_key",
                "idempotent",
                "classify",
                "reject",
                "fallback",
                "clone",
                "name",
                "registry",
                "crate",
            ],
            Place::Retry => &[
                "max",
                "base",
                "cap",
                "factor",
                "jitter",
                "retry_after_cap",
                "when",
                "nested",
            ],
            Place::Breaker => &["name", "per", "key"],
            Place::RateLimit => &["limiter", "key", "cost", "max_wait"],
            Place::Hedge => &["after", "floor", "max"],
            Place::Fallback => &["call", "timeout"],
            Place::Idempotent => &[
                "store",
                "key",
                "scope",
                "fingerprint",
                "effects",
                "tx",
                "ttl",
                "tombstone",
                "lease",
                "max_run",
                "wait",
                "store_errors",
                "not_executed",
                "resolve",
                "resource",
            ],
        }
    }

    /// Whether `path` is the name of an option here.
    pub(crate) fn knows(self, path: &Path) -> bool {
        self.options().iter().any(|option| path.is_ident(option))
    }

    fn policy(self) -> Option<&'static str> {
        match self {
            Place::Attribute => None,
            Place::Retry => Some("retry"),
            Place::Breaker => Some("breaker"),
            Place::RateLimit => Some("rate_limit"),
            Place::Hedge => Some("hedge"),
            Place::Fallback => Some("fallback"),
            Place::Idempotent => Some("idempotent"),
        }
    }

    /// What to write instead of something that is no option.
    pub(crate) fn stranger(self, literal: Option<Lit>) -> String {
        match (self, literal) {
            (Place::Attribute, Some(Lit::Str(name))) => format!(
                "a name needs an option in front: write `dependency = {}`",
                name.token()
            ),
            (Place::Attribute, _) => "expected an option such as `dependency = \"name\"` or \
                                      `retry(max = 4)`"
                .to_owned(),
            (Place::Retry, Some(Lit::Int(max))) => takes_options("retry", "max", max),
            (Place::Retry, Some(Lit::Str(name))) => {
                format!(
                    "a name takes no parentheses: write `retry = {}`",
                    name.token()
                )
            }
            (Place::Retry, _) => "expected an option such as `max = 4`".to_owned(),
            (Place::Breaker, Some(Lit::Str(name))) => {
                format!(
                    "a name takes no parentheses: write `breaker = {}`",
                    name.token()
                )
            }
            (Place::Breaker, _) => "expected an option such as `name = \"name\"`".to_owned(),
            (Place::RateLimit, Some(Lit::Str(name))) => {
                format!(
                    "a name takes no parentheses: write `rate_limit = {}`",
                    name.token()
                )
            }
            (Place::RateLimit, _) => "expected an option such as `limiter = \"api\"`".to_owned(),
            (Place::Hedge, Some(Lit::Str(after))) if !is_time(&after) => format!(
                "`hedge` takes no name: write `hedge` alone, and `dependency = {}` for the numbers \
                 registered there",
                after.token()
            ),
            (Place::Hedge, Some(Lit::Str(after))) => takes_options("hedge", "after", after.token()),
            (Place::Hedge, Some(Lit::Int(max))) => takes_options("hedge", "max", max),
            (Place::Hedge, Some(Lit::Bool(_))) => "`hedge` is no switch; write `hedge` alone or \
                                                   `hedge(after = \"50ms\")`, or leave it out"
                .to_owned(),
            (Place::Hedge, _) => "expected an option such as `after = \"50ms\"`".to_owned(),
            (Place::Fallback, Some(Lit::Str(timeout))) => format!(
                "`fallback` takes options: write `fallback(call = path, timeout = {})`",
                timeout.token()
            ),
            (Place::Fallback, _) => "expected an option such as `call = path`".to_owned(),
            (Place::Idempotent, Some(Lit::Str(store))) => {
                takes_options("idempotent", "store", store.token())
            }
            (Place::Idempotent, _) => "expected an option such as `key = req.key`".to_owned(),
        }
    }

    /// The error for an option that does not exist in this place.
    pub(crate) fn unknown(self, key: &Ident) -> syn::Error {
        let word = key.to_string();
        let options = self.options().iter().copied();
        let here = match self.policy() {
            Some(policy) => format!(" for `{policy}`"),
            None => String::new(),
        };
        let synonym = OTHER_WORDS
            .into_iter()
            .find(|(place, other, _)| *place == self && *other == word)
            .map(|(_, _, ours)| ours);
        let elsewhere = Place::ALL
            .into_iter()
            .find(|place| *place != self && place.options().contains(&word.as_str()))
            // These have words that mean something else in other policies.
            .filter(|place| {
                let own_words = self == Place::RateLimit || *place == Place::Idempotent;
                !own_words || synonym.is_none()
            });

        let message = if let Some(place) = elsewhere {
            let known = listed(options);
            match (place.policy(), self.policy()) {
                (Some(owner), Some(policy)) => {
                    format!("`{word}` belongs to `{owner}`; `{policy}` knows {known}")
                }
                (Some(owner), None) => {
                    format!("`{word}` belongs to `{owner}`: write `{owner}({word} = ..)`")
                }
                (None, _) => {
                    format!("`{word}` belongs directly to `#[resilient(..)]`, not inside{here}")
                        .replace(" for", "")
                }
            }
        } else if let Some(near) = synonym.or_else(|| nearest(&word, options.clone())) {
            // Elsewhere the first one mostly goes without counting.
            let counted = match (near, word.ends_with("retries") || word.ends_with("hedges")) {
                ("max", true) => ", which counts the first one, too",
                _ => "",
            };
            format!("unknown option `{word}`{here}; did you mean `{near}`{counted}?")
        } else {
            let elsewhere = match self {
                Place::RateLimit => "; quotas are registered with the limiter, not written here",
                Place::Breaker => {
                    "; what opens the breaker is registered with the dependency, not written here"
                }
                _ => "",
            };
            format!(
                "unknown option `{word}`{here}; expected one of {}{elsewhere}",
                listed(options)
            )
        };
        syn::Error::new(key.span(), message)
    }
}
