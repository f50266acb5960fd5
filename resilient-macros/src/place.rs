//! Where errors and warnings about generated tokens are shown.

use proc_macro2::Span;

/// Tokens of this macro that errors and warnings show at `place`.
pub(crate) fn shown_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}
