//! Groups of tokens: taken apart and put together again at the same place.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// `tokens` without their last token, and that token if it is a group in `delimiter`s.
pub(super) fn ends_in_group(
    tokens: &TokenStream,
    delimiter: Delimiter,
) -> Option<(TokenStream, Group)> {
    let mut tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match tokens.pop()? {
        TokenTree::Group(group) if group.delimiter() == delimiter => {
            Some((tokens.into_iter().collect(), group))
        }
        _ => None,
    }
}

/// `group` around other tokens.
pub(super) fn with_content(group: &Group, content: TokenStream) -> Group {
    let mut replaced = Group::new(group.delimiter(), content);
    replaced.set_span(group.span());
    replaced
}

/// `tokens` without the invisible group that a `macro_rules!` fragment arrives in.
pub(super) fn ungrouped(tokens: TokenStream) -> TokenStream {
    match ends_in_group(&tokens, Delimiter::None) {
        Some((before, group)) if before.is_empty() => ungrouped(group.stream()),
        _ => tokens,
    }
}
