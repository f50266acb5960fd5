//! The service: some workers, and a queue that keeps working on what nobody waits for any more.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep};

use super::chance::{count, exponential, to_float};
use super::failure::Failure;
use super::record::Record;
use super::scenario::Trouble;

/// There and back again.
const NETWORK: Duration = Duration::from_millis(10);
/// What a worker needs for one request, in the mean.
const WORK: Duration = Duration::from_millis(20);
/// The usual load keeps this share of the workers busy.
const BUSY: f64 = 0.6;
/// So many seconds of work find room in the queue: more than callers wait for by default.
const QUEUE: f64 = 6.0;
/// How long those are asked to stay away who are more than the quota.
const COME_BACK: Duration = Duration::from_secs(1);

pub(crate) struct Service {
    state: Mutex<State>,
    /// The usual load, in calls per second.
    load: f64,
    workers: usize,
    /// There is a request for a worker who waits for one.
    more: Notify,
    /// The trouble is another one.
    changed: Notify,
    record: Arc<Record>,
}

struct State {
    trouble: Trouble,
    queue: VecDeque<oneshot::Sender<()>>,
    chance: StdRng,
    /// What is left of the quota, as of a moment.
    quota: (f64, Instant),
}

/// What happens to a request when it arrives.
enum Reception {
    Queued {
        done: oneshot::Receiver<()>,
        then: Duration,
    },
    Failed(Failure),
    Lost,
}

/// What a worker does next.
enum Next {
    Work(oneshot::Sender<()>, Duration),
    Nothing,
    Off,
}

impl Service {
    /// Built for a load of so many calls per second.
    pub(crate) fn start(load: f64, seed: u64, record: Arc<Record>) -> Arc<Self> {
        let workers = count(load / BUSY * WORK.as_secs_f64());
        let service = Arc::new(Service {
            state: Mutex::new(State {
                trouble: Trouble::Nothing,
                queue: VecDeque::new(),
                chance: StdRng::seed_from_u64(seed),
                quota: (0.0, Instant::now()),
            }),
            load,
            workers,
            more: Notify::new(),
            changed: Notify::new(),
            record,
        });
        for worker in 0..workers {
            tokio::spawn(Arc::clone(&service).work(worker));
        }
        service
    }

    pub(crate) fn enter(&self, trouble: Trouble) {
        let mut state = self.state();
        state.trouble = trouble;
        state.quota = (self.load, Instant::now());
        drop(state);
        self.more.notify_waiters();
        self.changed.notify_waiters();
    }

    /// One request. Dropping it is not noticed by the service.
    pub(crate) async fn ask(&self) -> Result<(), Failure> {
        self.record.attempted();
        match self.receive() {
            Reception::Queued { done, then } => {
                if done.await.is_err() {
                    return Err(Failure::Unavailable);
                }
                sleep(NETWORK + then).await;
                Ok(())
            }
            Reception::Failed(failure) => {
                sleep(NETWORK).await;
                Err(failure)
            }
            Reception::Lost => pending().await,
        }
    }

    fn receive(&self) -> Reception {
        let state = &mut *self.state();
        let trouble = state.trouble;
        let mut then = Duration::ZERO;
        match trouble {
            Trouble::Down => return Reception::Failed(Failure::Refused),
            Trouble::Hang => return Reception::Lost,
            Trouble::Errors(share) if state.chance.random_bool(share) => {
                return Reception::Failed(Failure::Unavailable);
            }
            Trouble::Quota(share) if !state.within_quota(share * self.load) => {
                return Reception::Failed(Failure::Throttled {
                    retry_after: Some(COME_BACK),
                });
            }
            Trouble::Slower(times) => then = (NETWORK + WORK) * times.saturating_sub(1),
            _ => {}
        }
        if state.queue.len() >= count(QUEUE * self.load / BUSY) {
            return Reception::Failed(Failure::Unavailable);
        }
        let (reply, done) = oneshot::channel();
        state.queue.push_back(reply);
        self.more.notify_one();
        Reception::Queued { done, then }
    }

    async fn work(self: Arc<Self>, worker: usize) {
        loop {
            let (more, changed) = (self.more.notified(), self.changed.notified());
            match self.next(worker) {
                Next::Work(reply, takes) => {
                    sleep(takes).await;
                    // Whether anybody still waits for it makes no difference.
                    let _ = reply.send(());
                }
                Next::Nothing => more.await,
                Next::Off => changed.await,
            }
        }
    }

    fn next(&self, worker: usize) -> Next {
        let state = &mut *self.state();
        let working = match state.trouble {
            Trouble::Capacity(share) => count(share * to_float(self.workers)),
            _ => self.workers,
        };
        if worker >= working {
            return Next::Off;
        }
        match state.queue.pop_front() {
            Some(reply) => Next::Work(reply, WORK.mul_f64(exponential(&mut state.chance))),
            None => Next::Nothing,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes one from a quota of so many per second, of which one second can be saved up.
    fn within_quota(&mut self, per_second: f64) -> bool {
        let now = Instant::now();
        let (left, since) = self.quota;
        let left = (left + per_second * (now - since).as_secs_f64()).min(per_second);
        let within = left >= 1.0;
        self.quota = (if within { left - 1.0 } else { left }, now);
        within
    }
}
