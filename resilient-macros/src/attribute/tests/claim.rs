//! `idempotent(..)`: what it expands to, what it takes from a block, and mistakes in it.

use quote::quote;

use super::expansion::snapshot;
use super::{compare, told};
use crate::attribute::protect;

#[test]
fn a_key_is_claimed_around_the_attempts() {
    snapshot(
        "idempotent",
        quote!(
            retry(max = 3),
            idempotent(
                store = "orders",
                key = req.key,
                scope = user.id,
                fingerprint = &req,
                effects = "keyed",
                ttl = "24h"
            )
        ),
        quote! {
            /// Takes the order.
            async fn create_order(user: &User, req: &CreateOrder) -> Result<OrderCreated, OrderError> {
                place(user, req).await
            }
        },
    );
}

#[test]
fn a_record_is_a_part_of_a_transaction() {
    snapshot(
        "idempotent_in_transaction",
        quote!(idempotent(
            store = "orders",
            key = key,
            scope = shared,
            tx = tx
        )),
        quote! {
            async fn create_order(tx: &mut Transaction<'_>, key: &str) -> Result<Order, OrderError> {
                insert(tx, key).await
            }
        },
    );
}

#[test]
fn every_option_of_a_claim() {
    snapshot(
        "idempotent_with_everything",
        quote!(
            fallback = later(key),
            idempotent(
                store = { STORE },
                key = key,
                scope = shared,
                effects = "unkeyed",
                ttl = { TTL },
                tombstone = "7d",
                lease = "10s",
                max_run = "1m",
                wait = "2s",
                store_errors,
                not_executed = refused,
                resolve = look_up(api, key),
                resource = order
            )
        ),
        quote! {
            async fn create_order(api: &Api, key: &str) -> Result<Order, OrderError> {
                api.create(key).await
            }
        },
    );
}

#[test]
fn what_does_not_fit_a_claim() {
    let claim = |more| quote!(idempotent(store = "s", key = owned, scope = owned, #more));
    compare(vec![
        (claim(quote!(effects = "keyed")), &[]),
        (
            quote!(idempotent(
                store = "s",
                key = owned,
                scope = shared,
                effects = "none"
            )),
            &["write `scope = &shared` if that is the caller"],
        ),
        (
            claim(quote!(effects = "keyed", effects = "none")),
            &["duplicate option `effects`", "first given here"],
        ),
        (
            quote!(idempotent(), retry),
            &[
                "needs the store",
                "needs the key",
                "whose keys",
                "how a run ended",
            ],
        ),
        (
            claim(quote!()),
            &["`effects = \"none\"` if it may be repeated"],
        ),
        (claim(quote!(effects = "Keyed")), &["did you mean `keyed`?"]),
        (
            claim(quote!(effects = "maybe")),
            &["(expected `none`, `keyed`, `unkeyed`)"],
        ),
        (claim(quote!(tx = unique)), &[]),
        (claim(quote!(tx = shared_)), &["did you mean `shared`?"]),
        (claim(quote!(tx = owned)), &["`owned` is not a `&mut`"]),
        (
            claim(quote!(tx = self.tx)),
            &["`tx` takes the name of an argument"],
        ),
        (
            claim(quote!(tx = unique, wait = "1s")),
            &["`wait` is for repeats", "`tx` is given here"],
        ),
        (
            claim(quote!(effects = "none", hedge)),
            &["`hedge` belongs directly to `#[resilient(..)]`"],
        ),
        (
            claim(quote!(effects = "none", lease = { unique })),
            &["`unique` is an argument"],
        ),
        (
            claim(quote!(effects = "none", resolve = find(nobody))),
            &["`resolve` is for runs", "no argument named `nobody`"],
        ),
        (
            claim(quote!(effects = "unkeyed", resolve = self.find(owned))),
            &["whose first argument is the record: write `resolve = Self::find(self, owned)`"],
        ),
        (
            claim(quote!(effects = "unkeyed", store_errors = 1)),
            &["write `store_errors` alone, or `store_errors = false`"],
        ),
        (
            claim(quote!(effects = "none", scope = owned)),
            &["duplicate option `scope`", "first given"],
        ),
        (quote!(retry(wait = "1s")), &["did you mean `base`?"]),
        (
            quote!(timeout = "1s", fingerprint = x),
            &["`fingerprint` belongs to `idempotent`: write `idempotent(fingerprint = ..)`"],
        ),
    ]);
}

#[test]
fn a_method_says_more_about_the_claim_of_its_block() {
    let expansion = protect(
        quote!(idempotent(
            store = "orders",
            scope = self.tenant,
            effects = "keyed",
            ttl = "1h"
        )),
        quote! {
            impl Shop {
                #[resilient(idempotent(key = key, ttl = "2h"))]
                async fn order(&self, key: &str) -> Result<u32, Error> { Ok(1) }
                #[resilient(idempotent(key = key, tx = tx))]
                async fn pay(&self, tx: &mut Tx, key: &str) -> Result<u32, Error> { Ok(1) }
                #[resilient(idempotent = false, retry)]
                async fn look(&self) -> Result<u32, Error> { Ok(1) }
            }
        },
    );
    let text = expansion
        .map_err(|errors| told(&errors))
        .unwrap()
        .to_string();
    let methods: Vec<&str> = text.split("async fn").skip(1).collect();
    for (method, holds, lacks) in [
        (methods[0], "from_secs (7200)", "begin_in"),
        (methods[0], "Effects :: Keyed", "NotIdempotent"),
        (methods[1], "begin_in", "Effects"),
        (methods[1], "NotIdempotent", "Said :: Idempotent"),
        (methods[2], "NotIdempotent", "Asked"),
    ] {
        assert!(method.contains(holds), "{holds}: {method}");
        assert!(!method.contains(lacks), "{lacks}: {method}");
    }
}
