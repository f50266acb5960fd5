//! Many processes that call one service, each with a registry of its own.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use resilient::breaker::BreakerState;

use resilient::{Policy, Registry, Transitions};
use tokio::runtime;
use tokio::time::{sleep_until, timeout};

use super::chance::{exponential, to_float};
use super::figures::Figures;
use super::record::Record;
use super::scenario::{BEFORE, Scenario, Trouble};
use super::service::Service;
use super::strategy::{SERVICE, Strategy};

/// So many processes, each of which makes so many calls per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fleet {
    pub(crate) processes: usize,
    pub(crate) rate: f64,
}

pub(crate) const FLEETS: [Fleet; 3] = [
    Fleet {
        processes: 400,
        rate: 0.75,
    },
    Fleet {
        processes: 200,
        rate: 7.5,
    },
    Fleet {
        processes: 50,
        rate: 75.0,
    },
];

/// Callers that give up do so after this long, the mean of the shortest and the longest patience.
const PATIENCE: Duration = Duration::from_secs(4);
const SEED: u64 = 42;

impl Fleet {
    fn load(&self) -> f64 {
        to_float(self.processes) * self.rate
    }

    /// Plays a story on a clock of its own. The same in every run: chance is seeded, and all
    /// strategies meet the same callers.
    pub(crate) fn play(
        &self,
        scenario: &Scenario,
        strategy: &Strategy,
    ) -> Result<Figures, Box<dyn Error>> {
        runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()?
            .block_on(self.story(scenario, strategy))
    }

    async fn story(
        &self,
        scenario: &Scenario,
        strategy: &Strategy,
    ) -> Result<Figures, Box<dyn Error>> {
        let record = Arc::new(Record::new(scenario.seconds(), BEFORE..scenario.measured()));
        let service = Service::start(self.load(), SEED, Arc::clone(&record));
        let mut processes = Vec::with_capacity(self.processes);
        for seed in (0..).take(self.processes) {
            let registry = Registry::seeded(seed);
            registry.register((strategy.dependency)())?;
            tokio::spawn(count_openings(registry.subscribe(), Arc::clone(&record)));
            processes.push(registry.policy(SERVICE)?.idempotent());
        }
        tokio::spawn(trouble(
            *scenario,
            Arc::clone(&service),
            Arc::clone(&record),
        ));
        self.callers(scenario, &processes, &service, &record).await;
        Ok(Figures::of(scenario, &record))
    }

    /// Calls arrive at random and independently. That each process is as likely to make the next
    /// one is the same as each making its own.
    async fn callers(
        &self,
        scenario: &Scenario,
        processes: &[Policy],
        service: &Arc<Service>,
        record: &Arc<Record>,
    ) {
        let mut chance = StdRng::seed_from_u64(SEED);
        for second in 0..scenario.seconds() {
            let load = self.load() * scenario.load(second);
            let mut at = to_float(second);
            loop {
                at += exponential(&mut chance) / load;
                if at >= to_float(second + 1) {
                    // What was drawn beyond the second is drawn anew: arrivals have no memory.
                    break;
                }
                sleep_until(record.began() + Duration::from_secs_f64(at)).await;
                let process = processes[chance.random_range(0..processes.len())].clone();
                let patience = scenario
                    .impatient
                    .then(|| PATIENCE.mul_f64(chance.random_range(0.5..1.5)));
                tokio::spawn(call(
                    process,
                    patience,
                    Arc::clone(service),
                    Arc::clone(record),
                ));
            }
        }
    }
}

async fn call(
    process: Policy,
    patience: Option<Duration>,
    service: Arc<Service>,
    record: Arc<Record>,
) {
    let called = tokio::time::Instant::now();
    record.called(called);
    let answer = process.call(|| service.ask());
    let succeeded = match patience {
        None => answer.await.is_ok(),
        Some(patience) => timeout(patience, answer)
            .await
            .is_ok_and(|answer| answer.is_ok()),
    };
    record.ended(called, succeeded);
}

async fn count_openings(mut transitions: Transitions, record: Arc<Record>) {
    while let Some(transition) = transitions.recv().await {
        if (transition.from, transition.to) == (BreakerState::Closed, BreakerState::Open) {
            record.opened();
        }
    }
}

async fn trouble(scenario: Scenario, service: Arc<Service>, record: Arc<Record>) {
    for (second, trouble) in [
        (BEFORE, scenario.trouble),
        (scenario.end(), Trouble::Nothing),
    ] {
        sleep_until(record.began() + Duration::from_secs(second as u64)).await;
        service.enter(trouble);
    }
}
