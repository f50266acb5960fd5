//! Reads the annotated item, or says why it cannot be protected.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, LitStr, ReturnType, Signature, Token, Visibility};

use super::boxed;
use super::group::ends_in_group;
use super::returned;
use super::{Form, Function};

/// The annotated function.
///
/// The parser is given what stands in front of the body: it would look at every token of a body
/// that is none of its business. A mistake is told by what follows it, and so of the whole item.
pub(crate) fn parse(item: TokenStream) -> syn::Result<Function> {
    if let Some((head, body)) = ends_in_group(&item, Delimiter::Brace) {
        let of_head = |input: ParseStream<'_>| function(input, |_| Ok(body));
        if let Ok(function) = of_head.parse2(head) {
            return Ok(function);
        }
    }
    let of_item = |input: ParseStream<'_>| function(input, braces);
    of_item.parse2(item)
}

fn function(
    input: ParseStream<'_>,
    body: impl FnOnce(ParseStream<'_>) -> syn::Result<Group>,
) -> syn::Result<Function> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    expect_function(&input.fork())?;
    let signature: Signature = input.parse()?;
    if let Some(semicolon) = input.parse::<Option<Token![;]>>()? {
        return Err(syn::Error::new(
            semicolon.span,
            "there is no body to protect; put `#[resilient]` on the method of the impl",
        ));
    }
    let braces = body(input)?;
    let (inner_attributes, body) = split_inner_attributes(braces.stream());

    if signature.asyncness.is_some() {
        let returns = returned::written(&signature).map_err(nothing_to_protect)?;
        return Ok(Function {
            attributes,
            visibility,
            signature,
            braces,
            inner_attributes,
            form: Form::Plain,
            body,
            returns,
            owner: None,
        });
    }
    match boxed::recognise(&body) {
        Some(boxed) => Ok(Function {
            attributes,
            visibility,
            signature,
            braces,
            inner_attributes,
            body: boxed.body(),
            returns: boxed.returns.clone(),
            owner: None,
            form: Form::Boxed(Box::new(boxed)),
        }),
        None => Err(not_async(&signature, &body)),
    }
}

/// What the item is if not a function, told at its keyword.
pub(super) fn expect_function(input: ParseStream<'_>) -> syn::Result<()> {
    const QUALIFIERS: [&str; 5] = ["const", "async", "unsafe", "extern", "safe"];
    let mut first: Option<Ident> = None;
    loop {
        if input.peek(LitStr) && first.is_some() {
            input.parse::<LitStr>()?;
            continue;
        }
        let Ok(word) = input.call(Ident::parse_any) else {
            break;
        };
        if word == "fn" {
            return Ok(());
        }
        let qualifies = QUALIFIERS.iter().any(|qualifier| word == qualifier);
        if word == "trait" {
            first = Some(word);
            break;
        }
        first.get_or_insert(word);
        if !qualifies {
            break;
        }
    }
    Err(match first {
        Some(word) if word == "trait" => syn::Error::new(
            word.span(),
            "`#[resilient]` goes on an `async fn` or an impl block, found `trait`; \
             put it on each method with a body",
        ),
        Some(word) => syn::Error::new(
            word.span(),
            format_args!("`#[resilient]` goes on an `async fn` or an impl block, found `{word}`"),
        ),
        None => input.error("`#[resilient]` goes on an `async fn` or an impl block"),
    })
}

/// The body, also when a `macro_rules!` fragment wrapped it into an invisible group.
fn braces(input: ParseStream<'_>) -> syn::Result<Group> {
    let mut token: TokenTree = input.parse()?;
    loop {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return Ok(group),
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                token = syn::parse2(group.stream())?;
            }
            other => return Err(syn::Error::new(other.span(), "expected a function body")),
        }
    }
}

/// Splits the leading `#![..]` off `body`.
fn split_inner_attributes(body: TokenStream) -> (TokenStream, TokenStream) {
    let mut rest = body.clone().into_iter();
    let mut attributes = TokenStream::new();
    loop {
        let mut ahead = rest.clone();
        let attribute = [ahead.next(), ahead.next(), ahead.next()];
        match &attribute {
            [
                Some(TokenTree::Punct(hash)),
                Some(TokenTree::Punct(bang)),
                Some(TokenTree::Group(group)),
            ] if hash.as_char() == '#'
                && bang.as_char() == '!'
                && group.delimiter() == Delimiter::Bracket =>
            {
                attributes.extend(attribute.into_iter().flatten());
                rest = ahead;
            }
            _ if attributes.is_empty() => return (attributes, body),
            _ => return (attributes, rest.collect()),
        }
    }
}

fn nothing_to_protect(place: proc_macro2::Span) -> syn::Error {
    syn::Error::new(
        place,
        "a function without a `Result` cannot fail, so there is nothing to protect; \
         let it return `Result<T, E>`, or drop `#[resilient]`",
    )
}

/// Why a function that is not `async` cannot be protected.
fn not_async(signature: &Signature, body: &TokenStream) -> syn::Error {
    if let Some(constant) = &signature.constness {
        return syn::Error::new(
            constant.span,
            "`#[resilient]` needs an `async fn`, which a `const fn` cannot be; \
             write `async` in place of `const`",
        );
    }
    let mut words = body.clone().into_iter().map(|token| token.to_string());
    let starts_runtime = words.next().as_deref() == Some("let")
        && words.next().as_deref() == Some("body")
        && body.to_string().contains("block_on");
    if starts_runtime {
        return syn::Error::new(
            signature.fn_token.span,
            "another attribute has already removed `async`; move `#[resilient]` above it",
        );
    }
    let returns_future = match &signature.output {
        ReturnType::Default => false,
        ReturnType::Type(_, ty) => {
            let ty = ty.to_token_stream().to_string();
            ty.contains("Future") && (ty.contains("dyn") || ty.contains("impl"))
        }
    };
    if returns_future {
        return syn::Error::new_spanned(
            &signature.output,
            "`#[resilient]` cannot run a returned future again; write `async fn`",
        );
    }
    syn::Error::new(
        signature.fn_token.span,
        "`#[resilient]` needs an `async fn`; add `async`",
    )
}
