//! The functions that can be protected, and how each is put together again around the attempts.
//!
//! The signature is parsed; the body never is. Half-typed code therefore still reaches the
//! compiler, which knows better what is wrong with it, and a long body costs no compile time here.

mod binding;
mod boxed;
mod group;
mod impl_block;
mod item;
mod returned;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, Meta, ReceiverKind, Signature, Token, Type, Visibility, parse_quote_spanned,
};

use boxed::Boxed;
use group::with_content;

pub(crate) use binding::{Binding, Holds};
pub(crate) use impl_block::{ImplItem, impl_block, is_impl_block};
pub(crate) use item::parse;

/// An annotated function, split into what is kept and what is run once per attempt.
pub(crate) struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    /// The braces of the function, whose span every error about its end belongs to.
    braces: Group,
    /// `#![..]` at the start of the body: legal only as the first thing in the function.
    inner_attributes: TokenStream,
    form: Form,
    /// The statements of one attempt.
    body: TokenStream,
    returns: Type,
    /// The type whose impl block it stands in, as far as that is known.
    owner: Option<Ident>,
}

enum Form {
    /// `async fn`
    Plain,
    /// What `#[async_trait]` makes of an `async fn`.
    Boxed(Box<Boxed>),
}

impl Function {
    /// The name inside its module: `function`, or `Type::method` where the impl block is known.
    pub(crate) fn name(&self) -> String {
        let function = self.signature.ident.unraw();
        match &self.owner {
            Some(owner) => format!("{}::{function}", owner.unraw()),
            None => function.to_string(),
        }
    }

    /// Says whose method it is.
    pub(crate) fn owned_by(mut self, owner: Option<Ident>) -> Self {
        self.owner = owner;
        self
    }

    pub(crate) fn body(&self) -> &TokenStream {
        &self.body
    }

    /// Whether the body may be a single expression: a statement of any other kind but a block ends
    /// in a semicolon.
    pub(crate) fn may_be_one_expression(&self) -> bool {
        !self
            .body
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';'))
    }

    /// The span of the user's own braces around the body.
    pub(crate) fn braces(&self) -> Span {
        match &self.form {
            Form::Plain => self.braces.span(),
            Form::Boxed(boxed) => boxed.braces(),
        }
    }

    /// Where the function says that it is asynchronous: the place to show for an attempt as a whole.
    pub(crate) fn asynchrony(&self) -> Span {
        match &self.signature.asyncness {
            Some(asyncness) => asyncness.span,
            None => self.signature.fn_token.span,
        }
    }

    /// Where the error type is written, as far as the return type shows one.
    pub(crate) fn failure(&self) -> Span {
        returned::failure(&self.returns)
    }

    /// Where the type of the value is written, as far as the return type shows one.
    pub(crate) fn value(&self) -> Span {
        returned::value(&self.returns)
    }

    /// Where the value is written as a reference, or holds one.
    pub(crate) fn borrowed_value(&self) -> Option<Span> {
        returned::borrowed_value(&self.returns)
    }

    /// The type the attempts return, as written.
    pub(crate) fn returns(&self) -> &Type {
        &self.returns
    }

    /// The type the attempts return, fit for an expression: `impl Trait` is left to inference.
    pub(crate) fn attempt_type(&self) -> Type {
        returned::without_impl_trait(&self.returns)
    }

    /// The arguments by the names the body knows them under, without the receiver.
    pub(crate) fn bindings(&self) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for input in &self.signature.inputs {
            if let FnArg::Typed(argument) = input {
                binding::of_argument(argument, &mut bindings);
            }
        }
        if let Form::Boxed(boxed) = &self.form {
            boxed.refine(&mut bindings);
        }
        bindings
    }

    /// Whether there is a `self`.
    pub(crate) fn is_method(&self) -> bool {
        self.signature.receiver().is_some()
    }

    /// The `mut` of a receiver taken by value.
    pub(crate) fn mutable_receiver(&self) -> Option<Span> {
        let receiver = self.signature.receiver()?;
        let by_value = !matches!(receiver.kind, ReceiverKind::Reference(..));
        let mutability = match &self.form {
            Form::Plain => receiver.mutability,
            Form::Boxed(boxed) => boxed.mutable_receiver(),
        };
        mutability
            .filter(|_| by_value)
            .map(|mutability| mutability.span)
    }

    /// The `&mut` argument that the return value borrows from, by the name to show.
    pub(crate) fn returned_borrow(&self) -> Option<String> {
        returned::exclusive_borrow(&self.signature, &self.returns)
    }

    /// `tokens` of an attribute's expression, in the words that hold inside the function: under
    /// `#[async_trait]` the receiver has another name.
    pub(crate) fn translate(&self, tokens: TokenStream) -> TokenStream {
        match &self.form {
            Form::Plain => tokens,
            Form::Boxed(boxed) => boxed.translate(tokens),
        }
    }

    /// Takes `mut` off the arguments: their changing copies live inside the attempt.
    pub(crate) fn freeze(&mut self) {
        for input in &mut self.signature.inputs {
            if let FnArg::Typed(argument) = input {
                binding::freeze(&mut argument.pat);
            }
        }
        if let Form::Boxed(boxed) = &mut self.form {
            boxed.freeze();
        }
    }

    /// Appends `lines` to the documentation. A function without one stays so: the compiler would
    /// no longer miss it (`missing_docs`), and a method would lose what its trait says.
    pub(crate) fn document(&mut self, lines: impl FnOnce() -> Vec<String>) {
        let is_text = |attribute: &Attribute| matches!(&attribute.meta, Meta::NameValue(meta) if meta.path.is_ident("doc"));
        if !self.attributes.iter().any(is_text) {
            return;
        }
        for line in lines() {
            // As indented as the text of a `///`, so that the two are read as one.
            let line = if line.is_empty() {
                String::new()
            } else {
                format!(" {line}")
            };
            self.attributes
                .push(parse_quote_spanned!(Span::mixed_site()=> #[doc = #line]));
        }
    }

    /// The receiver of the boxed form as something to lend to an attempt: `let __self = ..`
    /// bindings are ordinary variables, and a `&mut` one would be moved into the first attempt.
    pub(crate) fn lent_receiver(&self) -> Option<Ident> {
        self.exclusive_receiver()?;
        match &self.form {
            Form::Boxed(boxed) => boxed.receiver().cloned(),
            Form::Plain => None,
        }
    }

    /// The place of a receiver that is a `&mut`.
    pub(crate) fn exclusive_receiver(&self) -> Option<Span> {
        let receiver = self.signature.receiver()?;
        let exclusive = match &receiver.kind {
            ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
            ReceiverKind::Typed(_, ty) => {
                matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some())
            }
            _ => false,
        };
        exclusive.then(|| receiver.span())
    }

    /// The whole function with `statements` as its body.
    pub(crate) fn around(&self, statements: TokenStream) -> TokenStream {
        let statements = match &self.form {
            Form::Plain => statements,
            Form::Boxed(boxed) => boxed.around(statements),
        };
        let mut content = self.inner_attributes.clone();
        content.extend(statements);
        let body = with_content(&self.braces, content);

        let mut function = TokenStream::new();
        for attribute in &self.attributes {
            attribute.to_tokens(&mut function);
        }
        self.visibility.to_tokens(&mut function);
        self.signature.to_tokens(&mut function);
        body.to_tokens(&mut function);
        function
    }
}

/// `ty` without the invisible groups and parentheses around it.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// The `mut` of a pattern, with its span.
type Mutability = Option<Token![mut]>;
