//! I1: idempotency keys.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use resilient::{Registry, context, resilient, scope};

use crate::script::Failure;

struct Order {
    id: String,
}

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn key() -> String {
    context()
        .idempotency_key()
        .expect("the site has a key")
        .to_string()
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key = order.id)]
async fn by_order(order: &Order, keys: &mut Vec<String>) -> Result<(), Failure> {
    keys.push(key());
    Err(Failure::Transient)
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key)]
async fn by_chance(keys: &mut Vec<String>) -> Result<(), Failure> {
    keys.push(key());
    Err(Failure::Transient)
}

// case P02, P03
#[tokio::test]
async fn i1_p02_a_given_key_is_sent_unchanged_with_every_attempt() {
    let order = Order {
        id: "order-4711".to_owned(),
    };
    let mut keys = Vec::new();
    let _ = by_order(&order, &mut keys).await;
    assert_eq!(keys, ["order-4711"; 3]);
    assert_eq!(order.id, "order-4711", "the expression is only looked at");
}

#[tokio::test]
async fn i1_the_expression_is_evaluated_once_per_call() {
    #[resilient(retry(max = 3, base = "0s"), idempotency_key = counted(asked))]
    async fn keyed(asked: &AtomicU32, keys: &mut Vec<String>) -> Result<(), Failure> {
        keys.push(key());
        Err(Failure::Transient)
    }
    fn counted(asked: &AtomicU32) -> u32 {
        asked.fetch_add(1, Ordering::SeqCst)
    }
    let (asked, mut keys) = (AtomicU32::new(0), Vec::new());
    for _ in 0..2 {
        let _ = scope(&Registry::new(), keyed(&asked, &mut keys)).await;
    }
    assert_eq!(keys, ["0", "0", "0", "1", "1", "1"]);
}

// case P01
#[tokio::test]
async fn i1_p01_a_drawn_key_is_one_per_call() {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for keys in [&mut first, &mut second] {
        // A registry of its own, because retries of a site share a budget.
        let _ = scope(&Registry::new(), by_chance(keys)).await;
    }
    assert_eq!((first.len(), second.len()), (3, 3));
    assert!(first.iter().all(|key| *key == first[0] && key.len() == 32));
    assert!(second.iter().all(|key| *key == second[0]));
    assert_ne!(first[0], second[0]);
}

#[tokio::test]
async fn i1_keys_of_a_seeded_registry_are_reproducible() {
    let mut keys = [Vec::new(), Vec::new()];
    for keys in &mut keys {
        let _ = scope(&Registry::seeded(9), by_chance(keys)).await;
    }
    assert_eq!(keys[0], keys[1]);
}

// case P04: fewer of them; 128 bits that repeat among these are not random
#[test]
fn i1_p04_drawn_keys_do_not_repeat_across_threads() {
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_time()
                    .build()
                    .unwrap();
                let mut drawn = Vec::new();
                for _ in 0..2_000 {
                    let mut keys = Vec::new();
                    let _ = runtime.block_on(by_chance(&mut keys));
                    drawn.append(&mut keys.drain(..1).collect());
                }
                SEEN.lock().unwrap().append(&mut drawn);
            });
        }
    });
    let seen = SEEN.lock().unwrap();
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 16_000);
}
