//! Many threads and tasks at once: the limit is exact, and nothing is lost.

use std::future::poll_fn;

use super::*;

/// Waits for a permit as the call engine does, and gives the place up when dropped.
struct Place<'a> {
    bulkhead: &'a BulkheadHandle,
    waiter: Option<Waiter>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(waiter) = self.waiter.take() {
            self.bulkhead.abandon(waiter);
        }
    }
}

struct Permit<'a>(&'a BulkheadHandle);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

async fn permit(bulkhead: &BulkheadHandle) -> Option<Permit<'_>> {
    match bulkhead.try_acquire() {
        Acquired::Granted => Some(Permit(bulkhead)),
        Acquired::Full => None,
        Acquired::Queue => {
            let mut place = Place {
                bulkhead,
                waiter: None,
            };
            poll_fn(|cx| {
                let waiter = match &mut place.waiter {
                    Some(waiter) => waiter,
                    empty => match bulkhead.enqueue(cx.waker()) {
                        Ok(waiter) => empty.insert(waiter),
                        Err(_) => return Poll::Ready(None),
                    },
                };
                if bulkhead.poll_granted(waiter, cx).is_pending() {
                    return Poll::Pending;
                }
                place.waiter = None;
                Poll::Ready(Some(Permit(bulkhead)))
            })
            .await
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c05_peak_never_exceeds_the_limit() {
    const LIMIT: usize = 4;
    let bulkhead = Arc::new(handle(LIMIT, usize::MAX, 4));
    let (running, peak, done) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    for _ in 0..200 {
        let tasks: Vec<_> = (0..64)
            .map(|task| {
                let (bulkhead, running) = (bulkhead.clone(), running.clone());
                let (peak, done) = (peak.clone(), done.clone());
                tokio::spawn(async move {
                    let _permit = permit(&bulkhead).await.expect("the queue has no end");
                    peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    if task % 3 == 0 {
                        tokio::task::yield_now().await;
                    }
                    running.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no task panics");
        }
        assert_eq!((bulkhead.in_use(), bulkhead.queued()), (0, 0));
    }
    assert!(peak.load(Ordering::SeqCst) <= LIMIT);
    assert_eq!(done.load(Ordering::SeqCst), 200 * 64);
}

#[tokio::test]
async fn c07_ten_queued_calls_run_one_after_another() {
    let bulkhead = Arc::new(handle(1, 10, 2));
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..10)
        .map(|number| {
            let (bulkhead, order) = (bulkhead.clone(), order.clone());
            tokio::spawn(async move {
                let _permit = permit(&bulkhead).await.expect("there is room");
                tokio::task::yield_now().await;
                order.lock().expect("no panic").push(number);
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no task panics");
    }
    assert_eq!(
        *order.lock().expect("no panic"),
        (0..10).collect::<Vec<_>>()
    );
    assert_eq!(bulkhead.in_use(), 0);
    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
}

/// Calls that are cut anywhere, limits that change, queues that overflow: at the end every permit
/// is back and nobody was forgotten (a lost wake-up would hang here).
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn k1_nothing_leaks_under_cancellation_and_resizing() {
    const MOST: usize = 5;
    let bulkhead = Arc::new(handle(MOST, 16, 4));
    let (running, peak) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    for round in 0..100u64 {
        let tasks: Vec<_> = (0..64u64)
            .map(|task| {
                let (bulkhead, running, peak) = (bulkhead.clone(), running.clone(), peak.clone());
                tokio::spawn(async move {
                    let work = async {
                        if let Some(_permit) = permit(&bulkhead).await {
                            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                            peak.fetch_max(now, Ordering::SeqCst);
                            for _ in 0..task % 3 {
                                tokio::task::yield_now().await;
                            }
                            running.fetch_sub(1, Ordering::SeqCst);
                        }
                    };
                    // Cut after some polls, but only while it waits: the count above is exact then.
                    let mut polls = (task * 7 + round) % 11;
                    let mut work = std::pin::pin!(work);
                    poll_fn(|cx| {
                        if work.as_mut().poll(cx).is_ready() {
                            return Poll::Ready(());
                        }
                        if task % 3 == 0 && polls == 0 {
                            return Poll::Ready(());
                        }
                        if task % 3 == 0 {
                            polls -= 1;
                            cx.waker().wake_by_ref();
                        }
                        Poll::Pending
                    })
                    .await;
                })
            })
            .collect();
        for limit in [1, MOST, 2, 3, MOST] {
            bulkhead.reconfigure(settings(limit, 16));
            tokio::task::yield_now().await;
        }
        for task in tasks {
            tokio::time::timeout(Duration::from_secs(60), task)
                .await
                .expect("a wake-up was lost")
                .expect("no task panics");
        }
        assert_eq!((bulkhead.in_use(), bulkhead.queued()), (0, 0));
    }
    assert!(peak.load(Ordering::SeqCst) <= MOST);
    assert_eq!(running.load(Ordering::SeqCst), 0);
}

/// Threads without a runtime, on the fast path and stealing: no permit is lost or doubled.
#[test]
fn c05_k1_threads_steal_without_exceeding_the_limit() {
    for limit in [1, 2, 3] {
        let bulkhead = handle(limit, 0, 4);
        let (running, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let granted = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        if bulkhead.try_acquire() == Acquired::Granted {
                            peak.fetch_max(
                                running.fetch_add(1, Ordering::SeqCst) + 1,
                                Ordering::SeqCst,
                            );
                            granted.fetch_add(1, Ordering::SeqCst);
                            running.fetch_sub(1, Ordering::SeqCst);
                            bulkhead.release();
                        }
                    }
                });
            }
        });
        assert!(peak.load(Ordering::SeqCst) <= limit);
        assert!(granted.load(Ordering::SeqCst) > 0);
        assert_eq!(bulkhead.in_use(), 0);
        for _ in 0..limit {
            assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
        }
        assert_eq!(bulkhead.try_acquire(), Acquired::Full);
    }
}

/// With as many permits as threads, nobody may ever be told that none is free.
#[test]
fn k1_a_moving_permit_is_not_mistaken_for_none() {
    let bulkhead = handle(3, 0, 8);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..50_000 {
                    assert_eq!(bulkhead.try_acquire(), Acquired::Granted);
                    bulkhead.release();
                }
            });
        }
    });
}
