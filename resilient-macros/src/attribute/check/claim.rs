//! Whether what is said of a claim fits together.

use proc_macro2::Span;

use super::options::ordered;
use crate::attribute::claim::Claim;
use crate::attribute::options::Options;
use crate::diagnostic::Errors;

/// Notes what a claim lacks. The attribute of its function stands `at` some place.
pub(super) fn complete(options: &Options, claim: &Claim, at: Span, errors: &mut Errors) {
    let missing = [
        (
            claim.store.is_given(),
            "`idempotent(..)` needs the store its keys are kept in: `store = \"orders\"`, as \
             `register_store(\"orders\", ledger)` names it",
        ),
        (
            claim.key.is_given(),
            "`idempotent(..)` needs the key that the caller sent: `key = req.key`",
        ),
        (
            claim.scope.is_given(),
            "`idempotent(..)` needs to know whose keys they are, or one caller could be given the \
             answer of another: write `scope = user.id`, or `scope = shared` if all callers are one \
             party",
        ),
        (
            claim.effects.is_given() || claim.tx.is_given(),
            "`idempotent(..)` needs to know what happens if nobody knows how a run ended: write \
             `effects = \"none\"` if it may be repeated, `\"keyed\"` if whoever has its effects \
             recognises the repeat, `\"unkeyed\"` if it must not run again, or `tx = ..` if all of \
             them are in one transaction",
        ),
    ];
    let mut lacks = false;
    for (given, needed) in missing {
        if !given {
            errors.at(options.claim.own_key().unwrap_or(at), needed);
            lacks = true;
        }
    }
    if lacks && options.claim.is_inherited() {
        errors.at(
            at,
            "`idempotent(..)` is taken from the impl block here; write `idempotent` or \
             `idempotent = false` for a method that claims no key",
        );
    }
    without_effect(claim, errors);
}

/// Notes what cannot both be meant.
pub(super) fn contradictions(claim: &Claim, errors: &mut Errors) {
    transactional(claim, errors);
    ordered(
        ("lease", &claim.lease),
        ("ttl", &claim.ttl),
        "is longer than",
        "so an answer would be forgotten while its run is at work; write a shorter `lease` or a \
         longer `ttl`",
        errors,
    );
}

/// A transaction holds the right to run by itself, and what it did is undone with it.
fn transactional(claim: &Claim, errors: &mut Errors) {
    let Some(tx) = claim.tx.key() else {
        return;
    };
    let without_use = [
        (
            claim.effects.own_key(),
            "`effects` says what a lost run may have done outside the store, and with `tx` nothing \
             is done outside; drop one",
        ),
        (
            claim.lease.own_key(),
            "`lease` holds the right to run, which the transaction does with `tx`; drop it",
        ),
        (
            claim.max_run.own_key(),
            "`max_run` ends the renewal of a lease, and with `tx` there is none; drop it",
        ),
        (
            claim.wait.own_key(),
            "`wait` is for repeats of a leased run; with `tx` they are refused at once: drop it",
        ),
        (
            claim.store_errors.own_key(),
            "`store_errors` would keep what is rolled back with `tx`; drop one",
        ),
        (
            claim.not_executed.own_key(),
            "`not_executed` gives a lease back; with `tx` nothing was done once it is rolled back: \
             drop it",
        ),
        (
            claim.resolve.own_key(),
            "`resolve` finds out how a lost run ended, and with `tx` all of it is gone; drop it",
        ),
    ];
    let known = errors.count();
    for (key, why) in without_use {
        if let Some(key) = key {
            errors.at(key, why);
        }
    }
    if errors.count() > known {
        errors.at(tx, "`tx` is given here");
    }
}

/// Notes what only matters for effects that cannot be repeated.
fn without_effect(claim: &Claim, errors: &mut Errors) {
    if claim.is_unkeyed() || !claim.effects.is_given() {
        return;
    }
    if let Some(resolve) = claim.resolve.own_key() {
        errors.at(
            resolve,
            "`resolve` is for runs that must not be repeated, and with these `effects` they are; \
             drop it, or write `effects = \"unkeyed\"`",
        );
    }
    if let Some(not_executed) = claim.not_executed.own_key()
        && !claim.stores_errors()
    {
        errors.at(
            not_executed,
            "`not_executed` has no effect: with these `effects` any error lets the next one run; \
             drop it, or write `effects = \"unkeyed\"`",
        );
    }
}
