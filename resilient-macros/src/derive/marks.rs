//! The marks that say what a variant means.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, ExprPath, Fields, Member, Meta, Path, Type};

use crate::arguments::{assigned, each_option, is_bare};
use crate::diagnostic::{Errors, Slot, listed, nearest};
use crate::value;

/// What a mark without a `kind` leaves to the class.
const KINDS: &[(&str, &str)] = &[
    ("network", "network"),
    ("timeout", "timeout"),
    ("server", "server"),
    ("throttled", "throttled"),
    ("client", "client"),
    ("business", "business"),
    ("other", "other"),
];

/// What one variant (or struct) means.
pub(super) struct Mark {
    pub(super) meaning: Meaning,
    pub(super) kind: Option<&'static str>,
}

pub(super) enum Meaning {
    /// `#[transient]`
    Transient,
    /// `#[transient(unsent)]`
    Unsent,
    /// `#[throttled]`, `#[throttled(retry_after = field)]`
    Throttled(Option<Member>),
    /// `#[fault]`
    Fault,
    /// `#[permanent]`
    Permanent,
    /// `#[ignored]`
    Ignored,
    /// `#[classify(source)]`: what the error inside means.
    Source(Member, Box<Type>),
    /// `#[classify(with = path)]`: what a function says.
    With(ExprPath),
}

/// The marks among the attributes of one item.
pub(super) struct Marks {
    pub(super) mark: Option<Mark>,
    /// Whether there was a mark at all, even one that could not be read.
    pub(super) any: bool,
    /// `#[classify(crate = path)]`
    pub(super) krate: Option<Path>,
}

/// The options inside the parentheses of a mark.
#[derive(Default)]
struct Options {
    unsent: Slot<()>,
    retry_after: Slot<Member>,
    source: Slot<()>,
    with: Slot<ExprPath>,
    kind: Slot<&'static str>,
    krate: Slot<Path>,
}

/// Reads the marks on something with `fields`.
pub(super) fn read(attributes: &[Attribute], fields: &Fields, errors: &mut Errors) -> Marks {
    let mut marks = Marks {
        mark: None,
        any: false,
        krate: None,
    };
    let mut first: Option<Ident> = None;
    for attribute in attributes {
        let Some(name) = name(attribute) else {
            continue;
        };
        let known: &[&str] = match name.to_string().as_str() {
            "transient" => &["unsent", "kind"],
            "throttled" => &["retry_after", "kind"],
            "classify" => &["source", "with", "kind", "crate"],
            _ => &["kind"],
        };
        let options = options(attribute, name, known, errors);
        if let Some(path) = options.as_ref().and_then(|options| options.krate.get()) {
            marks.krate = Some(path.clone());
            let decides = options
                .as_ref()
                .is_some_and(|options| options.source.is_given() || options.with.is_given());
            if !decides {
                continue;
            }
        }
        marks.any = true;
        if let Some(first) = &first {
            errors.at(
                name.span(),
                format_args!("`#[{name}]` stands beside `#[{first}]`; one mark is enough"),
            );
            continue;
        }
        first = Some(name.clone());
        if let Some(options) = options {
            marks.mark = mark(name, &options, fields, errors);
        }
    }
    marks
}

/// Reads the attributes of an enum as a whole, where only `#[classify(crate = ..)]` has a place.
pub(super) fn read_container(attributes: &[Attribute], errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    for attribute in attributes {
        let Some(name) = name(attribute) else {
            continue;
        };
        if name != "classify" {
            errors.at(
                name.span(),
                format_args!("`#[{name}]` goes on the variants, not on the enum"),
            );
            continue;
        }
        if let Some(options) = options(attribute, name, &["crate"], errors) {
            krate = options.krate.get().cloned();
        }
    }
    krate
}

/// The name of `attribute`, if it is a mark.
fn name(attribute: &Attribute) -> Option<&Ident> {
    let name = attribute.path().get_ident()?;
    MARKS.iter().any(|mark| name == mark).then_some(name)
}

fn options(
    attribute: &Attribute,
    name: &Ident,
    known: &[&str],
    errors: &mut Errors,
) -> Option<Options> {
    let mut options = Options::default();
    let tokens = match &attribute.meta {
        Meta::Path(_) => return Some(options),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(value) => {
            errors.at(
                value.eq_token.span,
                format_args!("write `#[{name}]` or `#[{name}(..)]`"),
            );
            return None;
        }
    };
    let before = errors.count();
    let read = |input: ParseStream<'_>| {
        let stranger = |_| match known {
            [only] => format!("expected the option `{only} = ..`"),
            several => format!("expected one of {}", listed(several.iter().copied())),
        };
        each_option(input, errors, &stranger, &mut |key, input, errors| {
            if known.iter().any(|known| key == known) {
                option(&mut options, key, input, errors)
            } else {
                Err(unknown(key, name, known))
            }
        });
        Ok(())
    };
    let read = read.parse2(tokens);
    errors.keep(read);
    (errors.count() == before).then_some(options)
}

fn option(
    options: &mut Options,
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "unsent" | "source" => {
            if !is_bare(input) {
                return Err(input.error(format_args!("`{key}` takes no value; write it alone")));
            }
            let said = if key == "unsent" {
                &mut options.unsent
            } else {
                &mut options.source
            };
            said.fill(key, (), errors);
        }
        "retry_after" => {
            let value = assigned(key, input, |key, input| {
                let place = input.fork();
                input.parse::<Member>().map_err(|_| {
                    place.error(format_args!(
                        "`{key}` takes the name of a field: `{key} = field`"
                    ))
                })
            })?;
            options.retry_after.fill(key, value, errors);
        }
        "with" => {
            let value = assigned(key, input, value::function)?;
            options.with.fill(key, value, errors);
        }
        "crate" => {
            let value = assigned(key, input, value::library)?;
            options.krate.fill(key, value, errors);
        }
        _ => {
            let value = assigned(key, input, |key, input| value::word(key, KINDS, input))?;
            options.kind.fill(key, value, errors);
        }
    }
    Ok(())
}

/// What marks a variant.
const MARKS: [&str; 6] = [
    "transient",
    "throttled",
    "fault",
    "permanent",
    "ignored",
    "classify",
];

fn unknown(key: &Ident, mark: &Ident, known: &[&str]) -> syn::Error {
    let hint = match nearest(&key.to_string(), known.iter().copied()) {
        _ if MARKS.iter().any(|mark| key == mark) => {
            format!("`{key}` is a mark of its own: write `#[{key}]`")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", listed(known.iter().copied())),
    };
    syn::Error::new(
        key.span(),
        format_args!("unknown option `{key}` for `#[{mark}]`; {hint}"),
    )
}

fn mark(name: &Ident, options: &Options, fields: &Fields, errors: &mut Errors) -> Option<Mark> {
    let meaning = match name.to_string().as_str() {
        "transient" if options.unsent.is_given() => Meaning::Unsent,
        "transient" => Meaning::Transient,
        "throttled" => {
            if let Some(member) = options.retry_after.get() {
                errors.keep(field(fields, member))?;
            }
            Meaning::Throttled(options.retry_after.get().cloned())
        }
        "fault" => Meaning::Fault,
        "permanent" => Meaning::Permanent,
        "ignored" => Meaning::Ignored,
        _ => match (options.source.key(), options.with.get()) {
            (Some(source), Some(_)) => {
                errors.at(source, "`source` and `with` both decide; drop one");
                return None;
            }
            (Some(key), None) => {
                let (member, ty) = errors.keep(source(fields, key))?;
                Meaning::Source(member, Box::new(ty))
            }
            (None, Some(path)) => Meaning::With(path.clone()),
            (None, None) => {
                errors.at(
                    name.span(),
                    "`#[classify]` needs to know by what: `#[classify(source)]` or \
                     `#[classify(with = path)]`",
                );
                return None;
            }
        },
    };
    Some(Mark {
        meaning,
        kind: options.kind.get().copied(),
    })
}

/// Checks that `wanted` is one of `fields`.
fn field(fields: &Fields, wanted: &Member) -> syn::Result<()> {
    let members: Vec<Member> = fields.members().collect();
    if members.contains(wanted) {
        return Ok(());
    }
    let written = |member: &Member| match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let known: Vec<String> = members.iter().map(written).collect();
    let wanted_word = written(wanted);
    let known_words = || known.iter().map(String::as_str);
    let hint = match nearest(&wanted_word, known_words()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; there are no fields here".to_owned(),
        None => format!("; fields: {}", listed(known_words())),
    };
    Err(syn::Error::new(
        wanted.span(),
        format_args!("no field `{wanted_word}`{hint}"),
    ))
}

/// The field with the error inside: the one marked `#[from]` or `#[source]`, the one called
/// `source`, or the only one.
fn source(fields: &Fields, key: Span) -> syn::Result<(Member, Type)> {
    let mut all = fields.members().zip(fields.iter());
    let marked = |attribute: &Attribute| {
        attribute.path().is_ident("from") || attribute.path().is_ident("source")
    };
    let found = all
        .clone()
        .find(|(_, field)| field.attrs.iter().any(marked))
        .or_else(|| {
            all.clone()
                .find(|(_, field)| field.ident.as_ref().is_some_and(|name| name == "source"))
        })
        .or_else(|| all.next().filter(|_| fields.len() == 1));
    match found {
        Some((member, field)) => Ok((member, field.ty.clone())),
        None if fields.is_empty() => Err(syn::Error::new(
            key,
            "there is no field that could be the source; say what the variant itself means, \
             for example `#[transient]`",
        )),
        None => Err(syn::Error::new(
            key,
            "which field is the source? mark it `#[source]` or `#[from]`, or call it `source`",
        )),
    }
}

/// The class of a mark that needs no field, in the library's words.
pub(super) fn constant(meaning: &Meaning) -> Option<TokenStream> {
    use quote::quote;
    Some(match meaning {
        Meaning::Transient => quote!(transient()),
        Meaning::Unsent => quote!(unsent()),
        Meaning::Throttled(None) => quote!(Throttled {
            retry_after: ::core::option::Option::None
        }),
        Meaning::Fault => quote!(Fault),
        Meaning::Permanent => quote!(Permanent),
        Meaning::Ignored => quote!(Ignored),
        Meaning::Throttled(Some(_)) | Meaning::Source(..) | Meaning::With(_) => return None,
    })
}
