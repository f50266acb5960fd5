//! What is particular to keys in Postgres: the table, transactions, and a server that fails.
#![cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod database;
mod failures;
mod ledger;
mod migrations;
mod purge;
mod table;
mod transactions;
