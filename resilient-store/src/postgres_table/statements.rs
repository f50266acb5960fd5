//! Every statement there is, written out for one table.
//!
//! Each is a transaction of its own, under READ COMMITTED, and every deadline is compared with the
//! clock of the database, so that the clocks of its users do not matter.

use super::name::TableName;

/// Parts of statements by name; one may contain those after it.
const PARTS: &[(&str, &str)] = &[
    ("{read}", READ),
    // The row of a claim: $1 scope, $2 key, $3 owner, $4 effects, $5 and $6 fingerprint, $7 and $8
    // how long answer and tombstone are kept.
    (
        "{columns}",
        "scope, key, state, fence, owner, effects, attempts, fingerprint_version, fingerprint,
         claimed_at, answer_until, expires_at, purge_at, leased_until",
    ),
    (
        "{claimed}",
        "$1::text, $2::text, 0, nextval('{table}_fences'), $3::bytea, $4::bigint, 1,
         $5::bigint, $6::bytea, {now}, {now} + $7::bigint * {us},
         {now} + ($7::bigint + $8::bigint) * {us}, {first_purge}",
    ),
    // A run that takes no longer than the time to spare leaves the index alone when it is completed.
    (
        "{first_purge}",
        "{now} + ($7::bigint + least($7::bigint / 16, 60000000)) * {us}",
    ),
    // A row that is taken over begins afresh. Only a lapsed run hands on its number and how far it
    // came; one inside a transaction, whose lease is the epoch, did nothing if it did not commit.
    (
        "{afresh}",
        "state = 0, resource_kind = null, resource_id = null,
         status = null, head = null, body = null,
         attempts = case when k.state <> 0 or {expired} then 1 when k.leased_until = 'epoch'
             then k.attempts else least(k.attempts, 2147483646) + 1 end,
         retried = case when k.state <> 0 or {expired} then false when k.leased_until = 'epoch'
             then k.retried else {given_up} end,
         checkpoint = case when k.state = 0 and not {expired} then k.checkpoint end",
    ),
    // How a run ended: $4 state, $5 and $6 resource, $7 to $9 answer. What is kept is reckoned from
    // now on, unless nobody knows.
    (
        "{finished}",
        "state = $4::bigint, resource_kind = $5::text, resource_id = $6::text,
         status = $7::bigint, head = $8::bytea, body = $9::bytea,
         answer_until = case when $4::bigint = 3 then k.answer_until else {answer_kept} end,
         expires_at = case when $4::bigint = 3 then k.expires_at else {record_kept} end,
         purge_at = case $4::bigint
             when 1 then greatest(nullif(k.purge_at, 'infinity'), {answer_kept})
             when 2 then greatest(nullif(k.purge_at, 'infinity'), {record_kept})
             else 'infinity' end",
    ),
    // A record without its answer, as `row.rs` reads it.
    (
        "{record}",
        "k.scope, k.key, {shown_state}::bigint, k.fence, k.effects::bigint, k.attempts::bigint,
         k.fingerprint_version::bigint, k.fingerprint, k.checkpoint, k.resource_kind, k.resource_id,
         (extract(epoch from {now} - k.claimed_at) * 1000000)::bigint,
         case when k.state = 0
             then (extract(epoch from k.leased_until - {now}) * 1000000)::bigint else 0 end,
         case when k.state = 1 and not {answer_gone}
             then (extract(epoch from k.answer_until - {now}) * 1000000)::bigint end,
         case when k.state <> 3
             then (extract(epoch from {counts_until} - {now}) * 1000000)::bigint end",
    ),
    (
        "{shown_state}",
        "(case when {answer_gone} then 2 else k.state end)",
    ),
    (
        "{won}",
        "k.fence, k.attempts::bigint, k.checkpoint, k.retried::int::bigint",
    ),
    ("{this}", "k.scope = $1::text and k.key = $2::text"),
    ("{owned}", "k.owner = $3::bytea and k.state in (0, 3)"),
    // A lapsed lease that nobody took over still counts as held, and so does what is uncertain.
    ("{held}", "k.fence = $3::bigint and k.state in (0, 3)"),
    // Free for the claim of $3 owner, $5 and $6 fingerprint: what has expired, or what may run again
    // and is not known to be of another payload. An owner does not take over from itself.
    (
        "{winnable}",
        "({expired} or {repeatable} and k.owner <> $3::bytea and not coalesce(
            not {without_trace} and k.fingerprint_version = $5::bigint
            and k.fingerprint <> $6::bytea, false))",
    ),
    // Whether or not a claim has met it since.
    ("{uncertain}", "(k.state = 3 or {doubtful})"),
    ("{doubtful}", "({lapsed} and not {may_repeat})"),
    (
        "{expired}",
        "((k.state in (1, 2) or {repeatable}) and {counts_until} <= {now})",
    ),
    ("{repeatable}", "({lapsed} and {may_repeat})"),
    // A run without an end counts as if it had ended with its lease.
    (
        "{counts_until}",
        "(case when k.state = 0
            then greatest(k.expires_at, k.leased_until + (k.expires_at - k.claimed_at))
            else k.expires_at end)",
    ),
    ("{given_up}", "(k.owner = decode(repeat('00', 16), 'hex'))"),
    // Claimed inside a transaction, which did nothing if it did not commit, and by none before it.
    (
        "{without_trace}",
        "(k.leased_until = 'epoch' and k.attempts = 1)",
    ),
    ("{lapsed}", "(k.state = 0 and k.leased_until <= {now})"),
    // A number that is not known is of a later version, and taken for the strictest.
    ("{may_repeat}", "(k.effects in (0, 1))"),
    ("{answer_gone}", "(k.state = 1 and k.answer_until <= {now})"),
    // As long as was asked for: a row without an end has these times from its claim on.
    ("{answer_kept}", "({now} + (k.answer_until - k.claimed_at))"),
    ("{record_kept}", "({now} + (k.expires_at - k.claimed_at))"),
    // Not `now()`, which inside a longer transaction is the time that one began.
    ("{now}", "statement_timestamp()"),
    ("{us}", "interval '1 microsecond'"),
];

/// Looks first, and writes nothing if what is there is not to be had: a repeat locks no row and waits
/// for no disk. Else takes over what the contract says. Answers with what it saw, as `READ` does, and
/// what it won, each empty if there is none; both are empty if somebody was quicker.
///
/// `do update` waits for whoever has a lock on the row, even if there is nothing to update: hence the
/// patience, $10, which ends with the statement. $9 is the lease.
const CLAIM: &str = "
    with seen as materialized ({read}),
    patience as materialized (select set_config('lock_timeout', $10::text, true)),
    won as (
    insert into {table} as k ({columns})
    select {claimed}, {now} + $9::bigint * {us} from patience
    where not exists (select from {table} as k where {this} and not {winnable})
    on conflict (scope, key) do update set {afresh},
        fence = excluded.fence, owner = excluded.owner, effects = excluded.effects,
        fingerprint_version = excluded.fingerprint_version, fingerprint = excluded.fingerprint,
        claimed_at = excluded.claimed_at, leased_until = excluded.leased_until,
        answer_until = excluded.answer_until, expires_at = excluded.expires_at,
        purge_at = excluded.purge_at
    where {winnable}
    returning {won})
    select s.*, w.* from (select 1) as one left join seen as s on true left join won as w on true";

/// Tells everybody that a transaction is about to claim: committed before it, so that others are
/// not made to wait for its end. The lease is the epoch: whoever can lock the row may have it.
///
/// Looks before it inserts: `do nothing` waits for a transaction that has updated the row.
const ANNOUNCE: &str = "
    insert into {table} as k ({columns})
    select {claimed}, 'epoch' where not exists (select from {table} as k where {this})
    on conflict (scope, key) do nothing
    returning k.fence";

/// The same of a row that is there. One that is locked belongs to somebody.
const ANNOUNCE_AGAIN: &str = "
    update {table} as k set {afresh},
        fence = nextval('{table}_fences'), owner = $3::bytea, effects = $4::bigint,
        fingerprint_version = $5::bigint, fingerprint = $6::bytea,
        claimed_at = {now}, leased_until = 'epoch', answer_until = {now} + $7::bigint * {us},
        expires_at = {now} + ($7::bigint + $8::bigint) * {us},
        purge_at = {first_purge}
    where k.ctid = (
        select k.ctid from {table} as k where {this} and {winnable} for update skip locked)
    returning k.fence";

/// Takes the row of a claim that was announced, for the rest of the transaction.
const LOCK: &str = "
    select {won} from {table} as k
    where {this} and k.fence = $3::bigint and k.state = 0
    for update skip locked";

/// The last column but one says what time has made of it: 1 expired, 2 free to be taken over, 3 lapsed over
/// effects that cannot be repeated, 4 announced by a transaction that is at work or was rolled back.
const READ: &str = "
    select {record}, k.status::bigint, k.head, case when not {answer_gone} then k.body end, k.owner,
        case when {expired} then 1 when {repeatable} and {without_trace} then 4
            when {repeatable} then 2 when {doubtful} then 3 else 0 end::bigint,
        k.retried::int::bigint
    from {table} as k where {this}";

const DOUBT: &str = "
    update {table} as k set state = 3, purge_at = 'infinity' where {this} and {doubtful}
    returning k.fence";

/// $4 is the lease, $5 a checkpoint.
const RENEW: &str = "
    update {table} as k set leased_until = {now} + $4::bigint * {us},
        checkpoint = coalesce($5::text, k.checkpoint)
    where {this} and {held}
    returning k.fence";

const COMPLETE: &str = "
    update {table} as k set {finished} where {this} and {held}
    returning k.fence";

const IS_FINISHED: &str = "
    select k.fence from {table} as k
    where {this} and k.fence = $3::bigint and k.state in (1, 2)";

/// Its owner is nobody from now on.
const LAPSE: &str = "
    update {table} as k set leased_until = {now}, owner = decode(repeat('00', 16), 'hex')
    where {this} and {held}
    returning k.fence";

/// What the claim of $3 owner won, where others came before it.
const WITHDRAW: &str = "
    update {table} as k set leased_until = {now}, owner = decode(repeat('00', 16), 'hex')
    where {this} and {owned} and k.attempts > 1
    returning k.fence";

const WITHDRAW_FIRST: &str = "
    delete from {table} as k where {this} and {owned} and k.attempts = 1 returning k.fence";

const RELEASE: &str = "delete from {table} as k where {this} and {held} returning k.fence";

const SETTLE: &str = "
    update {table} as k set {finished}
    where {this} and k.fence = $3::bigint and {uncertain}
    returning k.fence";

const SETTLE_NOT_DONE: &str = "
    delete from {table} as k where {this} and k.fence = $3::bigint and {uncertain}
    returning k.fence";

const REMOVE: &str = "delete from {table} as k where {this} and not {expired} returning k.fence";

/// $1 scope, $2 state, $3 limit.
const LIST: &str = "
    select {record} from {table} as k
    where not {expired} and ($1::text is null or k.scope = $1::text)
        and ($2::bigint is null or {shown_state} = $2::bigint)
    order by k.claimed_at, k.scope, k.key limit $3::bigint";

/// One scan of the index for both kinds of work. Rows that others are at work on are left to them;
/// found by their places, because a join could be planned as a scan of the whole table.
const PURGE: &str = "
    with due as materialized (
        select k.ctid, {expired} as waste from {table} as k
        where k.purge_at <= {now} and ({expired} or {answer_gone})
        order by k.purge_at limit $1::bigint for update skip locked),
    deleted as (
        delete from {table} as k where k.ctid = any (array(select ctid from due where waste))
        returning 1),
    stripped as (
        update {table} as k
        set state = 2, status = null, head = null, body = null, purge_at = k.expires_at
        where k.ctid = any (array(select ctid from due where not waste))
        returning 1)
    select (select count(*) from deleted), (select count(*) from stripped)";

const BACKLOG: &str = "
    select count(*) filter (where k.state = 0),
        coalesce((extract(epoch from {now} - min(k.claimed_at) filter (where k.state = 0))
            * 1000000)::bigint, 0),
        count(*) filter (where k.state = 3),
        count(*) filter (where {expired} or {answer_gone})
    from {table} as k";

/// The statements over one table.
#[derive(Clone, Debug)]
pub(super) struct Statements {
    pub(super) claim: String,
    pub(super) announce: String,
    pub(super) announce_again: String,
    pub(super) lock: String,
    pub(super) read: String,
    pub(super) doubt: String,
    pub(super) renew: String,
    pub(super) complete: String,
    pub(super) is_finished: String,
    pub(super) lapse: String,
    pub(super) withdraw: [String; 2],
    pub(super) release: String,
    pub(super) settle: String,
    pub(super) settle_not_done: String,
    pub(super) remove: String,
    pub(super) list: String,
    pub(super) purge: String,
    pub(super) backlog: String,
}

impl Statements {
    pub(super) fn of(table: &TableName) -> Self {
        let written = |statement| written(statement, table);
        Statements {
            claim: written(CLAIM),
            announce: written(ANNOUNCE),
            announce_again: written(ANNOUNCE_AGAIN),
            lock: written(LOCK),
            read: written(READ),
            doubt: written(DOUBT),
            renew: written(RENEW),
            complete: written(COMPLETE),
            is_finished: written(IS_FINISHED),
            lapse: written(LAPSE),
            withdraw: [WITHDRAW_FIRST, WITHDRAW].map(written),
            release: written(RELEASE),
            settle: written(SETTLE),
            settle_not_done: written(SETTLE_NOT_DONE),
            remove: written(REMOVE),
            list: written(LIST),
            purge: written(PURGE),
            backlog: written(BACKLOG),
        }
    }
}

fn written(statement: &str, table: &TableName) -> String {
    PARTS
        .iter()
        .fold(statement.to_owned(), |text, (name, part)| {
            text.replace(name, part)
        })
        .replace("{table}", &table.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_written_out() {
        let statements = format!("{:?}", Statements::of(&TableName::default()));
        for (name, _) in PARTS {
            assert!(!statements.contains(name), "{name}");
        }
        assert!(!statements.contains("{table}"));
    }
}
