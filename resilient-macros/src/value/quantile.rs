//! A share of recent attempts, as text: `"p95"`.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Lit, LitStr};

use super::refuse;
use crate::arguments::is_bare;

/// A number between 0 and 1 that was written as a percentage.
#[derive(Clone)]
pub(crate) struct Quantile {
    /// As it is told: `p95`.
    pub(crate) text: String,
    pub(crate) share: f64,
}

/// The quantile in `input`, or nothing, with nothing consumed, if it holds something else.
pub(crate) fn quantile(key: &Ident, input: ParseStream<'_>) -> syn::Result<Option<Quantile>> {
    let ahead = input.fork();
    match ahead.parse::<Lit>() {
        // Anything behind it is no part of a quantile, and is refused with the whole value.
        Ok(Lit::Str(_)) if !is_bare(&ahead) => Ok(None),
        Ok(Lit::Str(literal)) if is_meant(&literal.value()) => {
            input.parse::<LitStr>()?;
            of(key, &literal).map(Some)
        }
        Ok(Lit::Float(literal))
            if literal
                .base10_parse::<f64>()
                .is_ok_and(|share| share > 0.0 && share < 1.0) =>
        {
            // The exponent keeps 0.999 from becoming 99.90000000000001.
            let percent: f64 = format!("{}e2", literal.base10_digits())
                .parse()
                .unwrap_or(95.0);
            let error =
                format_args!("a quantile is text: write `{key} = \"p{percent}\"`").to_string();
            input.parse::<Lit>()?;
            Err(syn::Error::new(literal.span(), error))
        }
        _ => match lone_word(input) {
            Some(word) if word.starts_with('p') && word[1..].parse::<u8>().is_ok() => Err(refuse(
                input,
                format_args!("a quantile is text: write `{key} = \"{word}\"`"),
            )),
            _ => Ok(None),
        },
    }
}

/// The name that is all of the value.
fn lone_word(input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    let word = ahead.parse::<Ident>().ok()?;
    is_bare(&ahead).then(|| word.to_string())
}

/// Whether `text` can only be a quantile, or another word for one: `95%`, `95p`, `95th`, `median`.
fn is_meant(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let counted = ["%", "p", "th"]
        .iter()
        .filter_map(|behind| text.strip_suffix(behind))
        .any(|number| number.parse::<f64>().is_ok());
    counted || text.starts_with('p') || text == "median"
}

fn of(key: &Ident, literal: &LitStr) -> syn::Result<Quantile> {
    let text = literal.value().to_lowercase();
    let percent = text.trim_start_matches('p');
    let written = percent.starts_with(|first: char| first.is_ascii_digit());
    match format!("{percent}e-2").parse() {
        Ok(share) if written && share > 0.0 && share < 1.0 => Ok(Quantile { text, share }),
        _ => Err(syn::Error::new(
            literal.span(),
            format_args!(
                "a quantile is `p` and a percentage between 0 and 100: write `{key} = \"p95\"`"
            ),
        )),
    }
}
