//! Keys in Postgres: a first execution is two commits, a replay reads one row.

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use resilient::idempotency::{Answer, Joined, Ledger};
use resilient::store::{PostgresStore, SqlxStore};
use resilient_benches::one_thread::block_on;
use resilient_benches::table::Table;
use resilient_benches::target::{Bound::AtMost, Target};
use resilient_test_servers::Postgres;
use sqlx::PgPool;
use tokio_postgres::NoTls;

use crate::AnyError;
use crate::lane::Lane;
use crate::request::{BODY, FreshKeys, first, handler, id, ledger, replay, request};
use crate::section::{left_out, measure as compare};

const ROUNDS: usize = 200;

const CREATE: &str = "create table bare (key text primary key, body bytea)";
const CLAIM: &str = "insert into bare (key) values ($1)";
const ANSWER: &str = "update bare set body = $2 where key = $1";
const READ: &str = "select body from bare where key = $1";

const COMMITS: &str = "tokio-postgres, two bare commits";
const SELECT: &str = "tokio-postgres, bare SELECT";
const WORK: &str = "tokio-postgres, bare transaction of one insert";
const FIRST: &str = "PostgresStore, first";
const SQLX_COMMITS: &str = "sqlx, two bare commits";
const SQLX_SELECT: &str = "sqlx, bare SELECT";
const SQLX_FIRST: &str = "SqlxStore, first";

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Vec<Table>, AnyError> {
    let mut tables = Vec::new();
    let settings = [
        ("fsync on", Postgres::start_durable as fn() -> _),
        ("fsync off", Postgres::start),
    ];
    for (setting, start) in settings {
        let title = format!("in Postgres, {setting}");
        let started: std::io::Result<Option<Postgres>> = start();
        tables.push(match started? {
            Some(server) => on(&server, &title, setting, targets)?,
            None => left_out(&title, "Postgres"),
        });
    }
    Ok(tables)
}

fn on(
    server: &Postgres,
    title: &str,
    setting: &str,
    targets: &mut Vec<Target>,
) -> Result<Table, AnyError> {
    let pool = pool(&server.url())?;
    let sqlx = block_on(PgPool::connect(&server.url()))?;
    let store = PostgresStore::new(pool.clone());
    block_on(async {
        store.migrate().await?;
        pool.get().await?.batch_execute(CREATE).await?;
        let row = "insert into bare values ('kept', $1)";
        pool.get().await?.execute(row, &[&BODY]).await?;
        Ok::<_, AnyError>(())
    })?;
    let (own, other) = (ledger(store)?, ledger(SqlxStore::new(sqlx.clone()))?);
    let lanes = vec![
        (COMMITS, two_commits(pool.clone())),
        (COMMITS, first(FIRST, &own)),
        (SELECT, select(pool.clone())),
        (SELECT, replay("PostgresStore, replay", &own)?),
        (WORK, work(pool.clone())),
        (
            WORK,
            in_transaction("PostgresStore, first in a transaction", pool, own),
        ),
        (SQLX_COMMITS, sqlx_commits(sqlx.clone())),
        (SQLX_COMMITS, first(SQLX_FIRST, &other)),
        (SQLX_SELECT, sqlx_select(sqlx)),
        (SQLX_SELECT, replay("SqlxStore, replay", &other)?),
    ];
    let (samples, table) = compare(title, ROUNDS, lanes);
    for (store, lane, base) in [
        ("PostgresStore", FIRST, COMMITS),
        ("SqlxStore", SQLX_FIRST, SQLX_COMMITS),
    ] {
        let what =
            format!("idempotency: a first execution on {store}, {setting}, to two bare commits");
        targets.push(Target::new(what, samples.ratio(lane, base), AtMost(1.3)));
    }
    Ok(table)
}

fn pool(url: &str) -> Result<Pool, AnyError> {
    let recycling = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let manager = Manager::from_config(url.parse()?, NoTls, recycling);
    Ok(Pool::builder(manager).build()?)
}

fn two_commits(pool: Pool) -> Lane {
    let keys = FreshKeys::default();
    Lane::new(COMMITS, async move || {
        let key = keys.next();
        let connection = pool.get().await?;
        let claim = connection.prepare_cached(CLAIM).await?;
        connection.execute(&claim, &[&key]).await?;
        drop(connection);
        let answer = handler().await.body;
        let connection = pool.get().await?;
        let update = connection.prepare_cached(ANSWER).await?;
        connection.execute(&update, &[&key, &answer]).await?;
        Ok(())
    })
}

fn select(pool: Pool) -> Lane {
    Lane::new(SELECT, async move || {
        let connection = pool.get().await?;
        let read = connection.prepare_cached(READ).await?;
        let row = connection.query_one(&read, &[&"kept"]).await?;
        same(row.try_get(0)?)
    })
}

fn same(body: &[u8]) -> Result<(), AnyError> {
    (body == BODY)
        .then_some(())
        .ok_or_else(|| "another body".into())
}

fn work(pool: Pool) -> Lane {
    let keys = FreshKeys::default();
    Lane::new(WORK, async move || {
        let mut connection = pool.get().await?;
        let transaction = connection.transaction().await?;
        let claim = transaction.prepare_cached(CLAIM).await?;
        let key = format!("work {}", keys.next());
        transaction.execute(&claim, &[&key]).await?;
        Ok(transaction.commit().await?)
    })
}

fn in_transaction(name: &'static str, pool: Pool, ledger: Ledger) -> Lane {
    let keys = FreshKeys::default();
    Lane::new(name, async move || {
        let key = keys.next();
        let mut connection = pool.get().await?;
        let mut transaction = connection.transaction().await?;
        let begun = ledger
            .begin_in(&mut transaction, request(id(name, &key)?))
            .await?;
        let Joined::Run(execution) = begun else {
            return Err("a replay, where nothing had run".into());
        };
        let claim = transaction.prepare_cached(CLAIM).await?;
        transaction
            .execute(&claim, &[&format!("joined {key}")])
            .await?;
        let answer: Answer = handler().await;
        ledger
            .complete_in(&mut transaction, &execution, answer, None)
            .await?;
        Ok(transaction.commit().await?)
    })
}

fn sqlx_commits(pool: PgPool) -> Lane {
    let keys = FreshKeys::default();
    Lane::new(SQLX_COMMITS, async move || {
        let key = format!("sqlx {}", keys.next());
        sqlx::query(CLAIM).bind(&key).execute(&pool).await?;
        let answer = handler().await.body;
        sqlx::query(ANSWER)
            .bind(&key)
            .bind(answer)
            .execute(&pool)
            .await?;
        Ok(())
    })
}

fn sqlx_select(pool: PgPool) -> Lane {
    Lane::new(SQLX_SELECT, async move || {
        let read = sqlx::query_scalar(READ).bind("kept");
        let body: Vec<u8> = read.fetch_one(&pool).await?;
        same(&body)
    })
}
