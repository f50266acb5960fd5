//! Keys in Redis: one round trip for a replay is the least there can be.

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{AsyncCommands, Client, IntoConnectionInfo};
use resilient::idempotency::MemoryStore;
use resilient::store::{Copies, RedisConfig, RedisStore, Tiered};
use resilient_benches::one_thread::block_on;
use resilient_benches::table::Table;
use resilient_benches::target::{Bound::AtMost, Target};
use resilient_test_servers::Redis;

use crate::AnyError;
use crate::lane::Lane;
use crate::request::{BODY, first, ledger, replay};
use crate::section::{left_out, measure as compare};

const ROUNDS: usize = 500;
const TITLE: &str = "in Redis, appendonly no";

const GET: &str = "bare GET";
const SETS: &str = "two bare SETs";
const ALONE: &str = "RedisStore, replay";
const COPY: &str = "Tiered, replay from the copy";

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Vec<Table>, AnyError> {
    let Some(server) = Redis::start()? else {
        return Ok(vec![left_out(TITLE, "Redis")]);
    };
    let bare = block_on(connect(&server.url()))?;
    let config = RedisConfig::at(server.url());
    let (alone, copies) = block_on(async {
        let copies = Copies::in_redis(config.clone().prefix("copy:"));
        // What the table would take is in no replay.
        let tiered = Tiered::over(MemoryStore::new(1_000), &copies)?;
        Ok::<_, AnyError>((RedisStore::connect(&config).await?, tiered))
    })?;
    let (alone, copies) = (ledger(alone)?, ledger(copies)?);
    let lanes = vec![
        (GET, get(bare.clone())),
        (GET, replay(ALONE, &alone)?),
        (GET, replay(COPY, &copies)?),
        (SETS, two_sets(bare)),
        (SETS, first("RedisStore, first", &alone)),
    ];
    let (samples, table) = compare(TITLE, ROUNDS, lanes);
    for (what, lane) in [("RedisStore", ALONE), ("a copy of Tiered", COPY)] {
        let what = format!("idempotency: a replay from {what}, to a bare GET");
        targets.push(Target::new(what, samples.ratio(lane, GET), AtMost(1.5)));
    }
    Ok(vec![table])
}

/// As the stores do.
async fn connect(url: &str) -> Result<ConnectionManager, AnyError> {
    let server = url
        .into_connection_info()?
        .set_tcp_settings(TcpSettings::default().set_nodelay(true));
    let config = ConnectionManagerConfig::new();
    Ok(ConnectionManager::new_with_config(Client::open(server)?, config).await?)
}

fn get(mut connection: ConnectionManager) -> Lane {
    let stored: Result<(), _> = block_on(connection.set("bare", BODY));
    Lane::new(GET, async move || {
        stored.clone()?;
        let found: Vec<u8> = connection.clone().get("bare").await?;
        (found == BODY)
            .then_some(())
            .ok_or_else(|| "another value".into())
    })
}

/// What somebody does who claims a key and keeps an answer, without being careful.
fn two_sets(connection: ConnectionManager) -> Lane {
    Lane::new(SETS, async move || {
        let mut connection = connection.clone();
        let () = connection.set("claim", "x").await?;
        let () = connection.set("answer", BODY).await?;
        Ok(())
    })
}
