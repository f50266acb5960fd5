//! Tokens the way they are usually written: the compiler's own text of them has gaps in paths, and
//! not always the same ones.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The text of an expression.
pub(crate) fn written(tokens: TokenStream) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let content = written(group.stream());
                let (opening, closing) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => (" { ", " }"),
                    Delimiter::None => ("", ""),
                };
                text.extend([opening, &content, closing]);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' => text.push_str(", "),
                ':' if punct.spacing() == Spacing::Alone && !text.ends_with(':') => {
                    text.push_str(": ");
                }
                // Between two operands; in front of one it belongs to that.
                operator @ ('+' | '-' | '*' | '/' | '%' | '|' | '^')
                    if text.ends_with([')', ']']) || ends_in_word(&text) =>
                {
                    text.push(' ');
                    text.push(operator);
                    text.push(' ');
                }
                other => text.push(other),
            },
            word => {
                if ends_in_word(&text) {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
            }
        }
    }
    text
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == '"')
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn expressions_look_as_they_are_written() {
        for text in [
            "std::time::Duration::from_secs(5)",
            "Limits::<A, B>::TIMEOUT",
            "<Client as Limited>::TIMEOUT",
            "u32::MAX - 1",
            "(2 + LIMITS[0]) * -3",
            "&NAMES[..2]",
            "format_args!(\"order-{}\", order.id)",
            "Name { text: \"a\" }",
            "LIMIT as u32",
        ] {
            let tokens = text.parse().unwrap();
            assert_eq!(written(tokens), text);
        }
    }
}
