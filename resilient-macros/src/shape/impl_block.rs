//! Reads an impl block only as far as it takes to find its methods: what is not protected stays as
//! the tokens that were written.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, ItemImpl, Signature, Token, Type, Visibility, token};

use super::group::{ends_in_group, ungrouped, with_content};
use super::item::expect_function;

pub(crate) struct ImplBlock {
    pub(crate) attributes: Vec<Attribute>,
    /// The word `impl`.
    pub(crate) keyword: Span,
    /// Everything from there up to the braces.
    head: TokenStream,
    braces: Group,
    inner_attributes: Vec<Attribute>,
    pub(crate) items: Vec<ImplItem>,
}

/// A method, or something else that stays as it is.
pub(crate) struct ImplItem {
    pub(crate) attributes: Vec<Attribute>,
    tokens: TokenStream,
}

/// Whether `item` is an impl block. Every function is asked, so that nothing is parsed here that its
/// first words do not need.
pub(crate) fn is_impl_block(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    let mut first = tokens.next();
    if let (Some(TokenTree::Group(group)), None) = (&first, tokens.clone().next())
        && group.delimiter() == Delimiter::None
    {
        return is_impl_block(&group.stream());
    }
    while let Some(token) = first {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => drop(tokens.next()),
            TokenTree::Ident(word) if word == "impl" => return true,
            TokenTree::Ident(word) if QUALIFIERS.iter().any(|qualifier| word == qualifier) => {}
            _ => return false,
        }
        first = tokens.next();
    }
    false
}

/// The parts of an impl block.
pub(crate) fn impl_block(item: TokenStream) -> syn::Result<ImplBlock> {
    let block = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        let keyword = keyword(&input.fork());
        let rest: TokenStream = input.parse()?;
        let braces = ends_in_group(&rest, Delimiter::Brace);
        let (Some(keyword), Some((head, braces))) = (keyword, braces) else {
            return Err(syn::Error::new_spanned(rest, "expected an impl block"));
        };
        let (inner_attributes, items) = content.parse2(braces.stream())?;
        Ok(ImplBlock {
            attributes,
            keyword,
            head,
            braces,
            inner_attributes,
            items,
        })
    };
    block.parse2(ungrouped(item))
}

impl ImplBlock {
    /// The last name of the type, where it has one.
    pub(crate) fn owner(&self) -> Option<Ident> {
        let mut block = self.head.clone();
        TokenTree::Group(Group::new(Delimiter::Brace, TokenStream::new())).to_tokens(&mut block);
        let block: ItemImpl = syn::parse2(block).ok()?;
        match *block.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
            _ => None,
        }
    }

    /// The block with `items` in its braces.
    pub(crate) fn around(&self, items: TokenStream) -> TokenStream {
        let mut content = TokenStream::new();
        for attribute in &self.inner_attributes {
            attribute.to_tokens(&mut content);
        }
        content.extend(items);
        let mut block = TokenStream::new();
        for attribute in &self.attributes {
            attribute.to_tokens(&mut block);
        }
        self.head.to_tokens(&mut block);
        with_content(&self.braces, content).to_tokens(&mut block);
        block
    }
}

impl ToTokens for ImplItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attribute in &self.attributes {
            attribute.to_tokens(tokens);
        }
        self.tokens.to_tokens(tokens);
    }
}

/// What may stand in front of the word `impl`.
const QUALIFIERS: [&str; 3] = ["default", "unsafe", "const"];

/// The word `impl`, if nothing but qualifiers stands in front of it.
fn keyword(input: ParseStream<'_>) -> Option<Span> {
    loop {
        let word = input.call(Ident::parse_any).ok()?;
        if word == "impl" {
            return Some(word.span());
        }
        if !QUALIFIERS.iter().any(|qualifier| word == qualifier) {
            return None;
        }
    }
}

fn content(input: ParseStream<'_>) -> syn::Result<(Vec<Attribute>, Vec<ImplItem>)> {
    let inner_attributes = input.call(Attribute::parse_inner)?;
    let mut items = Vec::new();
    while !input.is_empty() {
        let attributes = input.call(Attribute::parse_outer)?;
        let start = input.fork();
        skip_item(input)?;
        let mut tokens = TokenStream::new();
        while start.cursor() != input.cursor() {
            tokens.extend(Some(start.parse::<TokenTree>()?));
        }
        items.push(ImplItem { attributes, tokens });
    }
    Ok((inner_attributes, items))
}

/// Leaves `input` behind the next item.
fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
    input.parse::<Visibility>()?;
    if expect_function(&input.fork()).is_ok() {
        // Braces in its types are not its body.
        input.parse::<Signature>()?;
        input.parse::<TokenTree>()?;
        return Ok(());
    }
    // Braces end a macro call, but not a constant.
    let until_semicolon = input.peek(Token![const]) || input.peek(Token![type]);
    loop {
        let ends = input.peek(Token![;]) || (!until_semicolon && input.peek(token::Brace));
        input.parse::<TokenTree>()?;
        if ends || input.is_empty() {
            return Ok(());
        }
    }
}
