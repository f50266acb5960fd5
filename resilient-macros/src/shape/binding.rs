//! The names under which a function knows its arguments.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Pat, PatIdent, PatType, Type};

use super::bare;

/// One name bound by an argument.
pub(crate) struct Binding {
    pub(crate) ident: Ident,
    /// The attributes of its argument that hold for every variable of the same name: whether there
    /// is anything to bind, and which lints stay silent.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) holds: Holds,
    /// Where `mut` stands, for a variable the body may change.
    pub(crate) mutable: Option<Span>,
    /// Whether the value can be taken out of the variable any number of times.
    pub(crate) copies: bool,
}

/// What a variable holds, as far as its type is written out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holds {
    /// `&T`
    Shared,
    /// `&mut T`
    Exclusive,
    /// Anything else.
    Value,
}

/// Adds the names that `argument` binds.
pub(super) fn of_argument(argument: &PatType, bindings: &mut Vec<Binding>) {
    let attributes: Vec<_> = argument
        .attrs
        .iter()
        .filter(|attribute| travels(attribute))
        .cloned()
        .collect();
    let whole = matches!(&*argument.pat, Pat::Ident(name) if name.by_ref.is_none());
    let mut pattern = (*argument.pat).clone();
    each_name(&mut pattern, &mut |name| {
        let holds = match (bare(&argument.ty), name.by_ref) {
            (Type::Reference(reference), _) if whole => {
                if reference.mutability.is_some() {
                    Holds::Exclusive
                } else {
                    Holds::Shared
                }
            }
            (_, Some(_)) if name.mutability.is_some() => Holds::Exclusive,
            (_, Some(_)) => Holds::Shared,
            _ => Holds::Value,
        };
        bindings.push(Binding {
            ident: name.ident.clone(),
            attributes: attributes.clone(),
            holds,
            mutable: mutability(name),
            copies: copies(&argument.ty),
        });
    });
}

fn travels(attribute: &Attribute) -> bool {
    ["cfg", "cfg_attr", "allow"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

/// Takes `mut` off every name in `pattern`.
pub(super) fn freeze(pattern: &mut Pat) {
    each_name(pattern, &mut |name| {
        if name.by_ref.is_none() {
            name.mutability = None;
        }
    });
}

/// Where the `mut` of a variable stands; that of `ref mut` says something else.
pub(super) fn mutability(name: &PatIdent) -> Option<Span> {
    match name.by_ref {
        Some(_) => None,
        None => name.mutability.map(|mutability| mutability.span),
    }
}

/// Calls `visit` with every name that `pattern` binds. Patterns of arguments cannot fail, so
/// literals, ranges and alternatives without names need no descent.
pub(super) fn each_name(pattern: &mut Pat, visit: &mut dyn FnMut(&mut PatIdent)) {
    match pattern {
        Pat::Ident(name) => {
            visit(name);
            if let Some((_, inner)) = &mut name.subpat {
                each_name(inner, visit);
            }
        }
        Pat::Paren(paren) => each_name(&mut paren.pat, visit),
        Pat::Reference(reference) => each_name(&mut reference.pat, visit),
        Pat::Type(typed) => each_name(&mut typed.pat, visit),
        Pat::Slice(slice) => {
            for inner in &mut slice.elems {
                each_name(inner, visit);
            }
        }
        Pat::Struct(structure) => {
            for field in &mut structure.fields {
                each_name(&mut field.pat, visit);
            }
        }
        Pat::Tuple(tuple) => {
            for inner in &mut tuple.elems {
                each_name(inner, visit);
            }
        }
        Pat::TupleStruct(tuple) => {
            for inner in &mut tuple.elems {
                each_name(inner, visit);
            }
        }
        _ => {}
    }
}

/// Whether `ty` is certainly `Copy`: only types that cannot be anything else count, because a
/// macro cannot look up what a name stands for.
fn copies(ty: &Type) -> bool {
    const PRIMITIVES: [&str; 16] = [
        "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
        "i128", "isize", "f32", "f64",
    ];
    match bare(ty) {
        Type::Array(array) => copies(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(copies),
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::FnPtr(_) | Type::Ptr(_) => true,
        Type::Path(path) => PRIMITIVES.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}
