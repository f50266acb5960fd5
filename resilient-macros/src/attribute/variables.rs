//! The variables that an attempt has for itself, because it could not share the function's: a fresh
//! copy for each attempt to change or to consume, or a borrow that ends with the attempt.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Token};

use crate::place::shown_at;
use crate::shape::{Binding, Holds};

/// Clones what the attempt is going to consume. That is done outside the attempt, so that the
/// future need not hold a reference to the original.
///
/// What copies of a hedged attempt take along is wrapped by `owned`: it must be captured by value,
/// which a mere number would not be.
pub(super) fn clones(
    bindings: &[Binding],
    to_clone: &[Ident],
    owned: Option<&TokenStream>,
) -> TokenStream {
    bindings
        .iter()
        .filter_map(|binding| {
            let asked = to_clone.iter().find(|name| **name == binding.ident)?;
            let (attributes, ident) = (&binding.attributes, &binding.ident);
            let copy = copy_of(ident);
            let clone = match owned {
                Some(owned) => quote_spanned!(shown_at(asked.span())=> #owned::clone_of(&#ident)),
                None => {
                    quote_spanned!(shown_at(asked.span())=> ::core::clone::Clone::clone(&#ident))
                }
            };
            Some(quote_spanned! {shown_at(asked.span())=>
                #(#attributes)*
                let #copy = #clone;
            })
        })
        .collect()
}

/// Shadows the function's variables by the attempt's, in one statement where no attributes of an
/// argument ask for another.
pub(super) fn own(
    bindings: &[Binding],
    to_clone: &[Ident],
    lent_receiver: Option<Ident>,
    owned: bool,
) -> TokenStream {
    let own: Vec<Own> = bindings
        .iter()
        .filter_map(|binding| Own::of(binding, to_clone.contains(&binding.ident), owned))
        .chain(lent_receiver.map(Own::lent))
        .collect();
    let (plain, attributed): (Vec<&Own>, Vec<&Own>) =
        own.iter().partition(|own| own.attributes.is_empty());
    let here = Span::mixed_site();
    let plain = match &plain[..] {
        [] => None,
        [own] => Some(shadow(&[], &own.pattern, &own.value)),
        several => {
            let patterns = several.iter().map(|own| &own.pattern);
            let values = several.iter().map(|own| &own.value);
            Some(shadow(
                &[],
                &quote_spanned!(here=> (#(#patterns),*)),
                &quote_spanned!(here=> (#(#values),*)),
            ))
        }
    };
    let attributed = attributed
        .into_iter()
        .map(|own| shadow(&own.attributes, &own.pattern, &own.value));
    plain.into_iter().chain(attributed).collect()
}

struct Own {
    attributes: Vec<Attribute>,
    pattern: TokenStream,
    value: TokenStream,
}

impl Own {
    fn of(binding: &Binding, cloned: bool, owned: bool) -> Option<Self> {
        let ident = &binding.ident;
        let value = if cloned {
            let copy = copy_of(ident);
            if owned {
                quote_spanned!(Span::mixed_site()=> #copy.take())
            } else {
                copy.to_token_stream()
            }
        } else if binding.holds == Holds::Exclusive && !ident.to_string().starts_with('_') {
            reborrowed(ident)
        } else if binding.mutable.is_some() {
            ident.to_token_stream()
        } else {
            return None;
        };
        // The user's own token, so that one too many is told as it always is.
        let mutability = binding.mutable.map(Token![mut]);
        Some(Own {
            attributes: binding.attributes.clone(),
            pattern: quote_spanned!(shown_at(ident.span())=> #mutability #ident),
            value,
        })
    }

    /// The receiver of the boxed form, an ordinary `&mut` variable.
    fn lent(receiver: Ident) -> Self {
        Own {
            attributes: Vec::new(),
            value: reborrowed(&receiver),
            pattern: receiver.into_token_stream(),
        }
    }
}

fn reborrowed(ident: &Ident) -> TokenStream {
    quote_spanned!(shown_at(ident.span())=> &mut *#ident)
}

fn shadow(attributes: &[Attribute], pattern: &TokenStream, value: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #(#attributes)*
        #[allow(clippy::shadow_reuse, clippy::shadow_same, clippy::shadow_unrelated)]
        let #pattern = #value;
    }
}

/// The variable that carries the clone of `argument` into an attempt.
fn copy_of(argument: &Ident) -> Ident {
    format_ident!(
        "__resilient_clone_{}",
        argument.unraw(),
        span = Span::mixed_site()
    )
}
