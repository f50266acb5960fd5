//! Going through all records, which Redis has no index for.

use std::collections::HashSet;

use redis::{RedisError, cmd};

use super::decode::{Listed, Reply};
use super::store::RedisStore;

/// How many keys are asked for at once: a page takes the server about a millisecond.
const PAGE: u32 = 500;

impl RedisStore {
    /// Shows every record that counts once, without its answer. One that cannot be read is told as
    /// an event and left out.
    pub(super) async fn each(&self, mut see: impl FnMut(Listed)) -> Result<(), RedisError> {
        // A scan may show a key again while the server grows or shrinks its table.
        let mut seen = HashSet::new();
        let mut cursor = 0_u64;
        loop {
            let (next, mut keys) = self.page(cursor).await?;
            keys.retain(|key| seen.insert(key.clone()));
            for (key, reply) in keys.iter().zip(self.read(&keys).await?) {
                match reply.listed() {
                    Ok(listed) => listed.into_iter().for_each(&mut see),
                    Err(why) => {
                        tracing::warn!(target: "resilient", key, why, "idempotency.unreadable");
                    }
                }
            }
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }

    async fn page(&self, cursor: u64) -> Result<(u64, Vec<String>), RedisError> {
        let mut scan = cmd("SCAN");
        scan.arg(cursor)
            .arg("MATCH")
            .arg(self.keys.any_record())
            .arg("COUNT")
            .arg(PAGE);
        let mut pipeline = redis::pipe();
        let (page,) = self.connection.send(pipeline.add_command(scan)).await?;
        Ok(page)
    }

    async fn read(&self, keys: &[String]) -> Result<Vec<Reply>, RedisError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut script = self.scripts.list.prepare_invoke();
        for key in keys {
            script.key(key);
        }
        self.connection.run(&script).await
    }
}
