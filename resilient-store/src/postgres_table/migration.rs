//! Bringing the table into being, by many processes at once.

use super::name::{DEFAULT, TableName};

/// What was done to the table in the order it has to be done. One that was published is never
/// changed.
const MIGRATIONS: &[(u32, &str)] = &[(
    1,
    include_str!("../../migrations/0001_idempotency_keys.sql"),
)];

/// Any number that nobody else has chosen.
const LOCK: i64 = 0x7265_7369_6c69_656e;

/// One script that applies what was not applied before, to be run as one transaction. Whoever comes
/// second waits for the lock and then finds it done.
pub(super) fn script(table: &TableName) -> String {
    let missing: String = MIGRATIONS.iter().map(unless_applied).collect();
    format!(
        "select pg_advisory_xact_lock({LOCK});
        do $migration$ begin
        if to_regclass('{DEFAULT}_migrations') is null then
            create table {DEFAULT}_migrations (
                version integer primary key,
                applied_at timestamptz not null default now());
        end if;
        {missing}
        end $migration$;"
    )
    .replace(DEFAULT, &table.to_string())
}

fn unless_applied((version, statements): &(u32, &str)) -> String {
    format!(
        "if not exists (select from {DEFAULT}_migrations where version = {version}) then
        {statements}
        insert into {DEFAULT}_migrations (version) values ({version});
        end if;
        "
    )
}
