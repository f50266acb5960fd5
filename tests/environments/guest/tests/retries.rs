//! The functions of the guest are retried like all others.

use std::sync::atomic::{AtomicU32, Ordering};

use guest::{Client, Failure, once, retried, written};

fn sendable<F: Future + Send>(future: F) -> F {
    future
}

fn third(calls: &AtomicU32) -> Result<u32, Failure> {
    match calls.fetch_add(1, Ordering::Relaxed) {
        2 => Ok(3),
        _ => Err(Failure::Again),
    }
}

#[tokio::test]
async fn the_path_given_is_all_it_takes() {
    let calls = AtomicU32::new(0);
    let asked = |body: String, step| {
        assert_eq!((&*body, step), ("body", 7));
        third(&calls)
    };
    let outcome = sendable(retried(asked, "body".to_owned(), 3, &4)).await;
    assert!(matches!(outcome, Ok(3)));

    assert!(matches!(sendable(once(1)).await, Ok(1)));
}

#[tokio::test]
async fn methods_too() {
    let (calls, mut seen) = (AtomicU32::new(0), 0);
    let asked = |number| third(&calls).map(|answer| answer + number);
    let outcome = sendable(Client(&asked).ask(&mut seen)).await;
    assert!(matches!(outcome, Ok(6)));
    assert_eq!(seen, 3);
}

#[tokio::test]
async fn and_methods_of_a_block() {
    let calls = AtomicU32::new(0);
    let asked = |number| third(&calls).map(|answer| answer + number);
    assert!(matches!(sendable(Client(&asked).look(1)).await, Ok(4)));
}

#[tokio::test]
async fn and_what_a_macro_of_another_crate_writes() {
    let calls = AtomicU32::new(0);
    let outcome = sendable(written(&|| third(&calls))).await;
    assert!(matches!(outcome, Ok(3)));
}
