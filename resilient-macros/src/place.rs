//! Where errors and warnings about generated tokens are shown.

use proc_macro2::{Span, TokenStream, TokenTree};

/// Tokens of this macro that errors and warnings show at `place`.
pub(crate) fn shown_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// `tokens`, which mean what they meant, as errors and warnings show them at `place`: an expression is
/// shown from its first token to its last.
pub(crate) fn all_shown_at(place: Span, tokens: &TokenStream) -> TokenStream {
    let moved = tokens.clone().into_iter().map(|mut token: TokenTree| {
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}
