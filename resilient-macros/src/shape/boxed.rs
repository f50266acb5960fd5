//! The form that `#[async_trait]` gives an `async fn` before this attribute sees it:
//!
//! ```text
//! Box::pin(async move {
//!     let __self = self;
//!     let n = n;
//!     let __ret: R = { body };
//!     __ret
//! })
//! ```
//!
//! Only the initialiser of `__ret` is run per attempt: what stands before it moves the arguments
//! and can run once.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Block, Pat, Stmt, Type};

use super::Mutability;
use super::binding::{Binding, each_name, freeze, mutability};
use super::group::{ends_in_group, with_content};

pub(super) struct Boxed {
    /// `Box::pin`
    constructor: TokenStream,
    parentheses: Group,
    /// `async move`
    head: TokenStream,
    braces: Group,
    declarations: Vec<Stmt>,
    /// `let __ret: R =`
    assignment: TokenStream,
    initialiser: Group,
    /// `; __ret`
    rest: TokenStream,
    pub(super) returns: Type,
}

/// The parts of `body` if it has the form above.
pub(super) fn recognise(body: &TokenStream) -> Option<Boxed> {
    let (constructor, parentheses) = ends_in_group(body, Delimiter::Parenthesis)?;
    let (head, braces) = ends_in_group(&parentheses.stream(), Delimiter::Brace)?;
    if constructor.to_string() != quote!(Box::pin).to_string()
        || head.to_string() != quote!(async move).to_string()
    {
        return None;
    }

    let tokens: Vec<TokenTree> = braces.stream().into_iter().collect();
    let binding = tokens.windows(3).position(|window| {
        is_ident(&window[0], "let") && is_ident(&window[1], "__ret") && is_punct(&window[2], ':')
    })?;
    let end = binding
        + tokens[binding..].windows(3).position(|window| {
            is_punct(&window[0], '=')
                && matches!(&window[1], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
                && is_punct(&window[2], ';')
        })?;
    let TokenTree::Group(initialiser) = tokens[end + 1].clone() else {
        return None;
    };
    let part = |range: &[TokenTree]| range.iter().cloned().collect::<TokenStream>();
    Some(Boxed {
        constructor,
        head,
        declarations: syn::parse::Parser::parse2(Block::parse_within, part(&tokens[..binding]))
            .ok()?,
        assignment: part(&tokens[binding..=end]),
        initialiser,
        rest: part(&tokens[end + 2..]),
        returns: syn::parse2(part(&tokens[binding + 3..end])).ok()?,
        parentheses,
        braces,
    })
}

impl Boxed {
    /// The statements of the user's body.
    pub(super) fn body(&self) -> TokenStream {
        self.initialiser.stream()
    }

    pub(super) fn braces(&self) -> Span {
        self.initialiser.span()
    }

    /// The name the body knows the receiver under.
    pub(super) fn receiver(&self) -> Option<&Ident> {
        self.declared().find_map(|pattern| match pattern {
            Pat::Ident(name) if name.ident == "__self" => Some(&name.ident),
            _ => None,
        })
    }

    pub(super) fn mutable_receiver(&self) -> Mutability {
        self.declared().find_map(|pattern| match pattern {
            Pat::Ident(name) if name.ident == "__self" => name.mutability,
            _ => None,
        })
    }

    /// Adds what the signature no longer says: `mut`, and the names inside patterns.
    pub(super) fn refine(&self, bindings: &mut Vec<Binding>) {
        for pattern in self.declared() {
            each_name(&mut pattern.clone(), &mut |name| {
                if name.ident == "__self" {
                    return;
                }
                match bindings
                    .iter_mut()
                    .find(|binding| binding.ident == name.ident)
                {
                    Some(binding) => binding.mutable = mutability(name),
                    None => bindings.push(Binding {
                        ident: name.ident.clone(),
                        attributes: Vec::new(),
                        holds: super::Holds::Value,
                        mutable: mutability(name),
                        copies: false,
                    }),
                }
            });
        }
    }

    pub(super) fn freeze(&mut self) {
        for statement in &mut self.declarations {
            if let Stmt::Local(local) = statement {
                freeze(&mut local.pat);
            }
        }
    }

    /// `tokens` with the receiver under its new name.
    pub(super) fn translate(&self, tokens: TokenStream) -> TokenStream {
        let Some(receiver) = self.receiver() else {
            return tokens;
        };
        tokens
            .into_iter()
            .map(|token| match token {
                TokenTree::Ident(ident) if ident == "self" => {
                    let mut renamed = receiver.clone();
                    renamed.set_span(ident.span().resolved_at(receiver.span()));
                    TokenTree::Ident(renamed)
                }
                TokenTree::Group(group) => {
                    let inner = self.translate(group.stream());
                    TokenTree::Group(with_content(&group, inner))
                }
                other => other,
            })
            .collect()
    }

    /// The whole body of the function with `statements` in place of the user's.
    pub(super) fn around(&self, statements: TokenStream) -> TokenStream {
        let initialiser = with_content(&self.initialiser, statements);
        let mut block = TokenStream::new();
        for declaration in &self.declarations {
            declaration.to_tokens(&mut block);
        }
        self.assignment.to_tokens(&mut block);
        initialiser.to_tokens(&mut block);
        self.rest.to_tokens(&mut block);

        let mut future = self.head.clone();
        with_content(&self.braces, block).to_tokens(&mut future);
        let mut body = self.constructor.clone();
        with_content(&self.parentheses, future).to_tokens(&mut body);
        body
    }

    fn declared(&self) -> impl Iterator<Item = &Pat> {
        self.declarations
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Local(local) => Some(&local.pat),
                _ => None,
            })
    }
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}
