//! Functions of every shape.

use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use resilient::{Rejection, resilient, scope};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Answer, Failure, receipt, registry};

struct Shop {
    tenant: u32,
    orders: AtomicU32,
}

impl Shop {
    fn next(&self) -> Answer {
        receipt(self.orders.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[resilient(
    retry(max = 2, base = "0s"),
    idempotent(store = "orders", scope = self.tenant, effects = "keyed", ttl = "1h")
)]
impl Shop {
    #[resilient(idempotent(key = key))]
    async fn order(&self, key: &str) -> Answer {
        tokio::task::yield_now().await;
        self.next()
    }

    #[resilient(idempotent(key = key, effects = "unkeyed"))]
    async fn charge(&mut self, key: String) -> Answer {
        let _ = &key;
        self.orders.get_mut();
        self.next()
    }

    #[resilient(idempotent)]
    async fn look(&self) -> Answer {
        self.next()
    }
}

#[async_trait]
trait Orders {
    async fn create(&self, key: &str, note: String) -> Answer;
}

#[async_trait]
impl Orders for Shop {
    #[resilient(idempotent(
        store = "orders",
        key = key,
        scope = self.tenant,
        fingerprint = &note,
        effects = "none"
    ))]
    async fn create(&self, key: &str, note: String) -> Answer {
        drop(note);
        self.next()
    }
}

#[resilient(
    retry(max = 2, base = "0s"),
    clone(value),
    idempotent(store = "orders", key = key, scope = shared, effects = "none")
)]
async fn generic<K: Display + Sync, T>(key: &K, value: T) -> Result<T, Failure>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync,
{
    Ok(value)
}

#[resilient(
    reject = refused,
    idempotent(store = "orders", key = format_args!("{first}-{}", 2), scope = (shared), effects = "none")
)]
async fn mapped(first: u32, shared: &str) -> Result<Vec<String>, String> {
    Ok(vec![shared.to_owned()])
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "`reject` takes a function of the value"
)]
fn refused(rejection: Rejection) -> String {
    rejection.to_string()
}

/// Its client key is for the call it makes, the other one is the caller's.
#[resilient(
    retry(max = 2, base = "0s"),
    idempotency_key,
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed")
)]
async fn both(key: &str) -> Result<String, Failure> {
    let key = resilient::context()
        .idempotency_key()
        .map(ToString::to_string);
    Ok(key.unwrap_or_default())
}

fn is_send<F: Send>(future: F) -> F {
    future
}

#[tokio::test(start_paused = true)]
async fn methods_blocks_generics_and_boxed_functions() {
    let (registry, ledger) = registry();
    let mut shop = Shop {
        tenant: 7,
        orders: AtomicU32::new(0),
    };
    is_send(scope(&registry, async {
        for _ in 0..2 {
            assert_eq!(is_send(shop.order("k")).await, receipt(1));
        }
        for _ in 0..2 {
            assert_eq!(shop.charge("k".to_owned()).await, receipt(2));
        }
        for _ in 0..2 {
            assert_eq!(shop.create("k", "note".to_owned()).await, receipt(3));
        }
        assert_eq!(shop.look().await, receipt(4));
        assert_eq!(shop.look().await, receipt(5), "it claims nothing");

        assert_eq!(generic(&1, "one".to_owned()).await, Ok("one".to_owned()));
        assert_eq!(generic(&1, "two".to_owned()).await, Ok("one".to_owned()));
        assert_eq!(mapped(1, "a").await, Ok(vec!["a".to_owned()]));
        assert_eq!(both("k").await, both("k").await);
    }))
    .await;
    assert_eq!(ledger.counts().executions, 6);
}
