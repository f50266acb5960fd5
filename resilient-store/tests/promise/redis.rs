//! Records in Redis alone, and copies in Redis over such a table. Its clock cannot be set, so every
//! deadline in it is moved.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::Store;
use resilient_store::{Copies, RedisConfig, RedisStore, Tiered};
use resilient_test_servers::Redis;

use crate::stage::{Ability, Stage};

/// Takes ARGV[1] milliseconds from whatever ends.
const PASS: &str = "
for _, key in ipairs(redis.call('KEYS', '*')) do
  if redis.call('TYPE', key).ok == 'hash' then
    for _, field in ipairs({ 'claimed_at', 'leased_until', 'answer_until', 'expires_at' }) do
      redis.call('HINCRBY', key, field, -ARGV[1])
    end
  end
  local left = redis.call('PTTL', key)
  if left >= 0 then
    redis.call('PEXPIRE', key, left - ARGV[1])
  end
end";

/// A server, and the same records as two processes see them.
pub(crate) struct OnRedis {
    server: Redis,
    stores: [Arc<dyn Store>; 2],
}

impl OnRedis {
    #[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    pub(crate) async fn alone() -> Option<Self> {
        let server = Redis::start().unwrap()?;
        let config = RedisConfig::at(server.url()).response_timeout("20s");
        let mut stores: Vec<Arc<dyn Store>> = Vec::new();
        for _ in 0..2 {
            stores.push(Arc::new(RedisStore::connect(&config).await.unwrap()));
        }
        let stores = stores.try_into().unwrap();
        Some(OnRedis { server, stores })
    }

    pub(crate) async fn tiered() -> Option<Self> {
        let server = Redis::start().unwrap()?;
        let config = RedisConfig::at(server.url()).response_timeout("20s");
        let copies = Copies::in_redis(config.clone().prefix("copies:")).timeout("20s");
        let mut stores: Vec<Arc<dyn Store>> = Vec::new();
        for _ in 0..2 {
            let table = RedisStore::connect(&config.clone().prefix("table:")).await;
            let tiered = Tiered::over(table.unwrap(), &copies).unwrap();
            stores.push(Arc::new(tiered));
        }
        let stores = stores.try_into().unwrap();
        Some(OnRedis { server, stores })
    }
}

impl Stage for OnRedis {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[0])
    }

    fn another(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[1])
    }

    async fn pass(&self, time: Duration) {
        let millis = time.as_millis().to_string();
        self.server.ask(&["EVAL", PASS, "0", &millis]).unwrap();
    }

    fn cannot(&self) -> &'static [Ability] {
        // Records go by themselves, so none are left to be counted as expired or to be purged.
        &[Ability::Count, Ability::Purge]
    }
}
