//! A1: where a limit settles while more is asked than the dependency can do.

use std::cell::Cell;
use std::rc::Rc;

use resilient::Policy;
use resilient::bulkhead::{Adaptive, Bulkhead};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tokio::time::sleep;

use super::{Answer, bare, full, ms, registered};

/// A server that does so many requests at a time, each in 100 ms; the others queue in it.
struct Server {
    workers: Semaphore,
    done: Cell<u32>,
}

impl Server {
    fn new(workers: usize) -> Rc<Self> {
        Rc::new(Server {
            workers: Semaphore::new(workers),
            done: Cell::new(0),
        })
    }

    async fn ask(&self) -> Answer {
        let _worker = self.workers.acquire().await.unwrap();
        sleep(ms(100)).await;
        self.done.set(self.done.get() + 1);
        Ok(())
    }
}

/// So many callers without a pause, for so many seconds. Returns the limit at the end of each
/// second, if it is reached, and how many requests the server did in the last one.
async fn load(
    policy: &Policy,
    server: &Rc<Server>,
    callers: usize,
    seconds: u64,
) -> (Vec<Option<u32>>, u32) {
    let local = LocalSet::new();
    for _ in 0..callers {
        let (policy, server) = (policy.clone(), server.clone());
        local.spawn_local(async move {
            loop {
                if policy.call(|| server.ask()).await.is_err() {
                    sleep(ms(20)).await;
                }
            }
        });
    }
    local
        .run_until(async {
            let mut limits = Vec::new();
            let mut done = 0;
            for _ in 0..seconds {
                done = server.done.get();
                sleep(ms(1_000)).await;
                limits.push(full(policy));
            }
            (limits, server.done.get() - done)
        })
        .await
}

#[tokio::test(start_paused = true)]
async fn a1_the_limit_of_an_overloaded_server_settles() {
    // 10 workers do 100 requests a second, if there are 10 at a time; beyond that they queue. A
    // timeout of 300 ms is kept up to 30 at a time.
    let (aimd, vegas, gradient) = (Adaptive::aimd, Adaptive::vegas, Adaptive::gradient);
    let rows = [
        // the limits it moves between, and the requests that are done at least
        ("by latency", vegas(1..=200).initial(5), 11..=20, 95),
        (
            "by usual latency",
            gradient(1..=200).initial(5),
            15..=23,
            95,
        ),
        ("by drops", aimd(1..=200), 24..=31, 95),
        ("from above", aimd(1..=200).initial(100), 24..=31, 95),
        ("no higher than it may", vegas(1..=7).initial(5), 7..=7, 65),
        ("no lower than it may", aimd(40..=200), 40..=41, 0),
    ];
    for (id, adaptive, expected, least) in rows {
        let dependency = bare()
            .bulkhead(Bulkhead::adaptive(adaptive))
            .timeout("300ms");
        let (_registry, policy) = registered(dependency);
        let server = Server::new(10);
        let (limits, done) = load(&policy, &server, 50, 45).await;
        let settled = &limits[30..];
        assert!(
            settled
                .iter()
                .flatten()
                .all(|limit| expected.contains(limit)),
            "{id}: {limits:?}"
        );
        assert!(done >= least, "{id}: {done} a second");
    }
}
