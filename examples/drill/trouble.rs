//! What goes wrong, one thing after the other.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use resilient_test_servers::{Postgres, Proxy, Redis};
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::scripted_server::{Phase, ScriptedServer};
use crate::shop::Shop;

/// Everything that can be got into trouble.
pub(crate) struct Scene {
    pub(crate) shop: Shop,
    pub(crate) postgres: Postgres,
    pub(crate) redis: Redis,
    pub(crate) to_postgres: Proxy,
    pub(crate) to_redis: Proxy,
    pub(crate) provider: Arc<ScriptedServer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    ShopKilled,
    ShopFrozen,
    PostgresKilled,
    PostgresFrozen,
    PostgresCut,
    RedisKilled,
    RedisFrozen,
    RedisCut,
    RedisFlushed,
    AnswersLost,
    ProviderGone,
}

const ALL: [Trouble; 11] = [
    Trouble::ShopKilled,
    Trouble::ShopFrozen,
    Trouble::PostgresKilled,
    Trouble::PostgresFrozen,
    Trouble::PostgresCut,
    Trouble::RedisKilled,
    Trouble::RedisFrozen,
    Trouble::RedisCut,
    Trouble::RedisFlushed,
    Trouble::AnswersLost,
    Trouble::ProviderGone,
];

/// How often each went wrong.
pub(crate) struct Troubles {
    played: BTreeMap<Trouble, u32>,
    flushes: Vec<u64>,
    starts: Vec<u64>,
}

impl Troubles {
    /// Goes through all of them in one order after the other until the time is over, and hands
    /// everything back in good health.
    pub(crate) async fn play(
        mut scene: Scene,
        length: Duration,
    ) -> Result<(Scene, Troubles), Box<dyn Error>> {
        let mut chance = StdRng::seed_from_u64(7);
        let mut played = BTreeMap::new();
        let (mut flushes, mut starts) = (Vec::new(), Vec::new());
        let end = Instant::now() + length;
        let mut order = ALL;
        'all: loop {
            order.shuffle(&mut chance);
            for trouble in order {
                sleep(Duration::from_millis(chance.random_range(300..1500))).await;
                if Instant::now() > end {
                    break 'all;
                }
                scene.begin(trouble).await?;
                if trouble == Trouble::RedisFlushed {
                    flushes.push(second()?);
                }
                // Some are over before a lease lapses, some after it.
                sleep(Duration::from_millis(chance.random_range(100..4500))).await;
                scene.end(trouble).await?;
                if trouble == Trouble::ShopKilled {
                    starts.push(second()?);
                }
                *played.entry(trouble).or_default() += 1;
            }
        }
        let troubles = Troubles {
            played,
            flushes,
            starts,
        };
        Ok((scene, troubles))
    }

    /// Each with its number.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.played.iter();
        lines
            .map(|(trouble, times)| format!("{trouble:?} {times}"))
            .collect()
    }

    pub(crate) fn total(&self) -> u32 {
        self.played.values().sum()
    }

    /// Whether counters were deleted between these seconds since 1970: whoever deletes them
    /// gives all of it back.
    pub(crate) fn flushed_between(&self, from: u64, to: u64) -> bool {
        self.flushes
            .iter()
            .any(|second| (from..=to).contains(second))
    }

    /// How often the shop was started again between these seconds since 1970.
    pub(crate) fn shops_started_between(&self, from: u64, to: u64) -> u32 {
        let starts = self.starts.iter();
        let within = starts.filter(|second| (from..=to).contains(second));
        u32::try_from(within.count()).unwrap_or(u32::MAX)
    }
}

fn second() -> Result<u64, std::time::SystemTimeError> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}

impl Scene {
    async fn begin(&mut self, trouble: Trouble) -> Result<(), Box<dyn Error>> {
        match trouble {
            Trouble::ShopKilled => block_in_place(|| self.shop.kill())?,
            Trouble::ShopFrozen => self.shop.freeze()?,
            Trouble::PostgresKilled => block_in_place(|| self.postgres.kill())?,
            Trouble::PostgresFrozen => block_in_place(|| self.postgres.freeze())?,
            Trouble::PostgresCut => self.to_postgres.cut(),
            Trouble::RedisKilled => block_in_place(|| self.redis.kill())?,
            Trouble::RedisFrozen => self.redis.freeze()?,
            Trouble::RedisCut => self.to_redis.cut(),
            Trouble::RedisFlushed => block_in_place(|| self.redis.flush())?,
            Trouble::AnswersLost => self.provider.enter(Phase::LosingAnswers).await?,
            Trouble::ProviderGone => self.provider.enter(Phase::Dead).await?,
        }
        Ok(())
    }

    async fn end(&mut self, trouble: Trouble) -> Result<(), Box<dyn Error>> {
        match trouble {
            Trouble::ShopKilled => block_in_place(|| self.shop.restart())?,
            Trouble::ShopFrozen => self.shop.thaw()?,
            Trouble::PostgresKilled => block_in_place(|| self.postgres.restart())?,
            Trouble::PostgresFrozen => block_in_place(|| self.postgres.thaw())?,
            Trouble::PostgresCut => self.to_postgres.mend(),
            Trouble::RedisKilled => block_in_place(|| self.redis.restart())?,
            Trouble::RedisFrozen => self.redis.thaw()?,
            Trouble::RedisCut => self.to_redis.mend(),
            Trouble::RedisFlushed => {}
            Trouble::AnswersLost | Trouble::ProviderGone => {
                self.provider.enter(Phase::Healthy).await?;
            }
        }
        Ok(())
    }
}
