//! What a value of each option looks like.

use proc_macro2::{Ident, TokenStream};
use syn::LitStr;

use super::written;

/// The error for an option whose value is missing, or stands in parentheses.
pub(crate) fn value_missing(key: &Ident, parenthesised: Option<TokenStream>) -> syn::Error {
    let example = example(&key.to_string());
    let names = example == NAME;
    let message = match parenthesised.filter(|content| !content.is_empty()) {
        None if names => {
            format!("`{key}` needs the name of a dependency: `{key} = {example}`")
        }
        None => format!("`{key}` needs a value: `{key} = {example}`"),
        Some(content) if !example.starts_with('"') || is_text(&content) => {
            format!(
                "`{key}` takes no parentheses; write `{key} = {}`",
                written(content)
            )
        }
        Some(_) if names => format!(
            "`{key}` only names a dependency, whose numbers are registered with it; \
             write `{key} = {example}`"
        ),
        Some(_) => format!("`{key}` takes no parentheses; write for example `{key} = {example}`"),
    };
    syn::Error::new(key.span(), message)
}

const NAME: &str = "\"name\"";

/// A value that `key` can have. Whatever is no string can be anything.
pub(crate) fn example(key: &str) -> &'static str {
    match key {
        "dependency" | "retry" | "breaker" | "budget" | "bulkhead" => NAME,
        "rate_limit" | "limiter" => "\"api\"",
        "cost" => "5",
        "max_wait" => "\"200ms\"",
        "timeout" | "deadline" => "\"5s\"",
        "after" => "\"50ms\"",
        "floor" => "\"10ms\"",
        "base" | "cap" | "retry_after_cap" => "\"100ms\"",
        "max" => "4",
        "factor" => "2.0",
        "jitter" => "\"full\"",
        "nested" => "\"suppress\"",
        "per" => "\"call\"",
        "name" => "\"charge\"",
        "kind" => "\"business\"",
        "idempotency_key" => "order.id",
        "key" => "shard.id",
        "idempotent" | "store_errors" => "false",
        "store" => "\"orders\"",
        "scope" => "user.id",
        "fingerprint" => "&req",
        "effects" => "\"keyed\"",
        "tx" => "tx",
        "ttl" | "tombstone" => "\"24h\"",
        "lease" | "max_run" | "wait" => "\"30s\"",
        "crate" => "::path",
        "retry_after" => "field",
        "registry" => "expr",
        _ => "path",
    }
}

fn is_text(tokens: &TokenStream) -> bool {
    syn::parse2::<LitStr>(tokens.clone()).is_ok()
}
