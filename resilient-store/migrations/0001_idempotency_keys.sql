-- One row per key of a scope. A table under another name: replace `idempotency_keys` everywhere.

-- A fence is never given out twice, even after its row was deleted; so they come from a sequence, not
-- from the row.
create sequence idempotency_keys_fences;

create table idempotency_keys (
    scope text collate "C" not null,
    key text collate "C" not null check (octet_length(key) between 1 and 255),
    -- 0 running, 1 completed, 2 completed without an answer, 3 uncertain.
    state smallint not null,
    fence bigint not null,
    -- 128 random bits of whoever claimed it; all zero after a run that said it failed.
    owner bytea not null,
    -- 0 none, 1 keyed, 2 unkeyed.
    effects smallint not null,
    attempts integer not null,
    -- Whether the run before it said that it failed.
    retried boolean not null default false,
    fingerprint_version integer,
    fingerprint bytea,
    checkpoint text,
    resource_kind text,
    resource_id text,
    -- The answer, byte by byte as it was.
    status integer,
    head bytea,
    body bytea,
    claimed_at timestamptz not null,
    -- The beginning of the epoch for a claim inside a transaction, whose lease is the lock on the row.
    leased_until timestamptz not null,
    answer_until timestamptz not null,
    expires_at timestamptz not null,
    -- Not before this a purge has something to do here: take away the answer, then the row. Said at the
    -- claim, with some time to spare, so that completing it in that time touches no column that is
    -- indexed.
    purge_at timestamptz not null,
    primary key (scope, key)
) with (fillfactor = 70);

-- Bodies come compressed or encrypted, and a repeat wants them quickly.
alter table idempotency_keys alter column body set storage external;

create index on idempotency_keys (purge_at);
