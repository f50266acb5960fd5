//! What the return type says: which types it leaves to inference, and what it borrows.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericArgument, Lifetime, PathArguments, ReceiverKind, ReturnType, Signature, Token,
    Type, TypeInfer, TypeParamBound,
};

use super::bare;

/// `ty` with `_` for every `impl Trait`, which may not be written inside a function.
pub(super) fn without_impl_trait(ty: &Type) -> Type {
    let mut ty = ty.clone();
    walk(&mut ty, &mut |part| {
        if let Part::Type(inner) = part
            && let Type::ImplTrait(opaque) = inner
        {
            *inner = Type::Infer(TypeInfer {
                attrs: Vec::new(),
                underscore_token: Token![_](opaque.impl_token.span),
            });
        }
    });
    ty
}

/// The name of the argument that `returns` borrows from although it is `&mut`.
pub(super) fn exclusive_borrow(signature: &Signature, returns: &Type) -> Option<String> {
    let mut named: Vec<Lifetime> = Vec::new();
    let mut elided = false;
    walk(&mut returns.clone(), &mut |part| match part {
        Part::Lifetime(lifetime) if lifetime.ident == "_" => elided = true,
        Part::Lifetime(lifetime) => named.push(lifetime.clone()),
        Part::Elided => elided = true,
        Part::Type(_) => {}
    });

    let borrows = |lifetime: Option<&Lifetime>, elided: bool| match lifetime {
        Some(lifetime) if lifetime.ident != "_" => named.contains(lifetime),
        _ => elided,
    };
    let mut receiver_lends = false;
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let (lifetime, mutability) = match &receiver.kind {
                    ReceiverKind::Reference(_, lifetime, mutability) => {
                        (lifetime.as_ref(), mutability.is_some())
                    }
                    ReceiverKind::Typed(_, ty) => match bare(ty) {
                        Type::Reference(reference) => {
                            (reference.lifetime.as_ref(), reference.mutability.is_some())
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                // An elided lifetime of the output is the receiver's, if that is a reference.
                receiver_lends = true;
                if mutability && borrows(lifetime, elided) {
                    return Some("self".to_owned());
                }
            }
            FnArg::Typed(argument) => {
                if let Type::Reference(reference) = bare(&argument.ty)
                    && reference.mutability.is_some()
                    && borrows(reference.lifetime.as_ref(), elided && !receiver_lends)
                {
                    return Some(argument.pat.to_token_stream().to_string());
                }
            }
        }
    }
    None
}

/// Where `returns` names the error: the second argument of its last segment, else the whole.
pub(super) fn failure(returns: &Type) -> Span {
    argument(returns, 1).map_or_else(|| returns.span(), Spanned::span)
}

/// Where `returns` names the value: the first argument of its last segment, else the whole.
pub(super) fn value(returns: &Type) -> Span {
    argument(returns, 0).map_or_else(|| returns.span(), Spanned::span)
}

fn argument(returns: &Type, index: usize) -> Option<&GenericArgument> {
    let Type::Path(path) = bare(returns) else {
        return None;
    };
    match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(generics) => generics.args.iter().nth(index),
        _ => None,
    }
}

/// The return type as written, or the place where one is missing.
pub(super) fn written(signature: &Signature) -> Result<Type, Span> {
    match &signature.output {
        ReturnType::Type(_, ty) => Ok((**ty).clone()),
        ReturnType::Default => Err(signature.ident.span()),
    }
}

/// Where the value of `returns` is written as a reference, or holds one.
pub(super) fn borrowed_value(returns: &Type) -> Option<Span> {
    let mut value = match argument(returns, 0)? {
        GenericArgument::Type(value) => value.clone(),
        _ => return None,
    };
    let mut borrowed = None;
    walk(&mut value, &mut |part| {
        if let Part::Type(Type::Reference(reference)) = part {
            borrowed.get_or_insert(reference.span());
        }
    });
    borrowed
}

enum Part<'a> {
    Type(&'a mut Type),
    Lifetime(&'a Lifetime),
    /// A reference without a written lifetime.
    Elided,
}

/// Visits `ty` and everything written inside it, except the arguments of `Fn(..)` and `fn(..)`,
/// whose lifetimes are their own.
fn walk(ty: &mut Type, visit: &mut dyn FnMut(Part<'_>)) {
    visit(Part::Type(ty));
    match ty {
        Type::Array(array) => walk(&mut array.elem, visit),
        Type::Group(group) => walk(&mut group.elem, visit),
        Type::Paren(paren) => walk(&mut paren.elem, visit),
        Type::Ptr(pointer) => walk(&mut pointer.elem, visit),
        Type::Slice(slice) => walk(&mut slice.elem, visit),
        Type::Reference(reference) => {
            match &reference.lifetime {
                Some(lifetime) => visit(Part::Lifetime(lifetime)),
                None => visit(Part::Elided),
            }
            walk(&mut reference.elem, visit);
        }
        Type::Tuple(tuple) => {
            for elem in &mut tuple.elems {
                walk(elem, visit);
            }
        }
        Type::Path(path) => {
            if let Some(qself) = &mut path.qself {
                walk(&mut qself.ty, visit);
            }
            walk_path(&mut path.path, visit);
        }
        Type::TraitObject(object) => walk_bounds(object.bounds.iter_mut(), visit),
        Type::ImplTrait(opaque) => walk_bounds(opaque.bounds.iter_mut(), visit),
        _ => {}
    }
}

fn walk_bounds<'a>(
    bounds: impl Iterator<Item = &'a mut TypeParamBound>,
    visit: &mut dyn FnMut(Part<'_>),
) {
    for bound in bounds {
        match bound {
            TypeParamBound::Lifetime(lifetime) => visit(Part::Lifetime(lifetime)),
            TypeParamBound::Trait(bound) => walk_path(&mut bound.path, visit),
            _ => {}
        }
    }
}

fn walk_path(path: &mut syn::Path, visit: &mut dyn FnMut(Part<'_>)) {
    for segment in &mut path.segments {
        let PathArguments::AngleBracketed(generics) = &mut segment.arguments else {
            continue;
        };
        for argument in &mut generics.args {
            match argument {
                GenericArgument::Lifetime(lifetime) => visit(Part::Lifetime(lifetime)),
                GenericArgument::Type(ty) => walk(ty, visit),
                GenericArgument::AssocType(assoc) => walk(&mut assoc.ty, visit),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{exclusive_borrow, without_impl_trait, written};
    use quote::{ToTokens, quote};

    #[test]
    fn impl_trait_is_left_to_inference() {
        for (ty, attempt) in [
            (quote!(Result<u32, E>), quote!(Result<u32, E>)),
            (
                quote!(Result<impl Iterator<Item = u32>, E>),
                quote!(Result<_, E>),
            ),
            (
                quote!(Result<Box<(impl Fn(u8) -> u8, [impl Copy; 2])>, E>),
                quote!(Result<Box<(_, [_; 2])>, E>),
            ),
        ] {
            let ty = syn::parse2(ty).unwrap();
            assert_eq!(
                without_impl_trait(&ty).to_token_stream().to_string(),
                attempt.to_string()
            );
        }
    }

    #[test]
    fn borrows_of_exclusive_arguments_are_found() {
        for (signature, lender) in [
            (quote!(async fn f(&mut self) -> Result<u32, E>), None),
            (
                quote!(async fn f(&mut self) -> Result<&str, E>),
                Some("self"),
            ),
            (
                quote!(async fn f(&mut self) -> Result<Guard<'_>, E>),
                Some("self"),
            ),
            (
                quote!(async fn f(&self, v: &mut V) -> Result<&str, E>),
                None,
            ),
            (quote!(async fn f(v: &mut V) -> Result<&str, E>), Some("v")),
            (
                quote!(async fn f<'a>(v: &'a mut V, s: &str) -> Result<&'a mut u32, E>),
                Some("v"),
            ),
            (
                quote!(async fn f<'a, 'b>(v: &'a mut V, s: &'b str) -> Result<&'b str, E>),
                None,
            ),
            (
                quote!(async fn f(v: &mut V) -> Result<Box<dyn Fn(&str) -> u8>, E>),
                None,
            ),
            (
                quote!(async fn f(v: &mut V) -> Result<&'static str, E>),
                None,
            ),
        ] {
            let signature = syn::parse2(signature).unwrap();
            let returns = written(&signature).unwrap();
            assert_eq!(
                exclusive_borrow(&signature, &returns).as_deref(),
                lender,
                "{}",
                signature.to_token_stream()
            );
        }
    }
}
