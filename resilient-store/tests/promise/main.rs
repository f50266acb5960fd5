//! What every store promises, held by one driver: a table of scripts of one key, then crowds that
//! want it at once.
//!
//! A store is added by a [`Stage`] and one line below.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crowd;
mod memory;
#[cfg(all(feature = "redis", feature = "postgres", feature = "sqlx-postgres"))]
mod over_postgres;
#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
mod rows;
mod script;
mod stage;
mod step;

use stage::Stage;

async fn holds(stage: &impl Stage) {
    for row in rows::ROWS {
        script::play(stage, row).await;
    }
    crowd::play(stage).await;
}

#[tokio::test(start_paused = true)]
async fn memory() {
    holds(&memory::Memory::new()).await;
}

#[cfg(feature = "redis")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_alone() {
    if let Some(stage) = redis::OnRedis::alone().await {
        holds(&stage).await;
    }
}

#[cfg(feature = "redis")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_in_redis_over_a_table() {
    if let Some(stage) = redis::OnRedis::tiered().await {
        holds(&stage).await;
    }
}

#[cfg(all(feature = "redis", feature = "postgres", feature = "sqlx-postgres"))]
#[tokio::test(flavor = "multi_thread")]
async fn copies_in_redis_over_postgres() {
    if let Some(stage) = over_postgres::Both::start().await {
        holds(&stage).await;
    }
}

#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    if let Some(table) = postgres::Table::over_tokio_postgres().await {
        holds(&table).await;
    }
}

#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
#[tokio::test(flavor = "multi_thread")]
async fn sqlx_postgres() {
    if let Some(table) = postgres::Table::over_sqlx().await {
        holds(&table).await;
    }
}
