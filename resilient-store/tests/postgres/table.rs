//! What a claim meets in the table.

use std::time::Duration;

use resilient_core::idempotency::{Claimed, Fence, Finish, State, Store, StoreError};
use sqlx::AssertSqlSafe;

use crate::database::{Database, answer, claim, id, request, rules};

fn taken(claimed: Claimed) -> State {
    match claimed {
        Claimed::Taken(record) => record.state,
        Claimed::Won(won) => panic!("{won:?}"),
    }
}

/// I52, Q09: a row that is there when a key is inserted and gone when it is read is inserted after
/// all; after the third time the claim is an error, never a run without a row.
#[tokio::test(flavor = "multi_thread")]
async fn i52_q09_a_row_that_vanishes_is_claimed_again_twice() {
    let Some(database) = Database::with("vanishing_keys").await else {
        return;
    };
    // What the claim sees of a row that is deleted between its two statements: none is inserted, and
    // none is found.
    database
        .execute(
            "create sequence vanishing;
            create function vanish() returns trigger language plpgsql as $$
            begin
                if nextval('vanishing') % 10 = 0 then return new; end if;
                return null;
            end $$;
            create trigger vanish before insert on {table} for each row execute function vanish();",
        )
        .await;
    let store = database.store();
    for (first, expected) in [(8, true), (7, false)] {
        let key = format!("k{first}");
        database
            .execute(&format!("alter sequence vanishing restart with {first}"))
            .await;
        let claimed = store.claim(&claim(&key, 1)).await;
        assert_eq!(matches!(claimed, Ok(Claimed::Won(_))), expected, "{first}");
        assert_eq!(store.find(&id(&key)).await.unwrap().is_some(), expected);
        if let Err(error) = claimed {
            assert!(
                matches!(error, StoreError::Vanished { times: 3, .. }),
                "{error:?}"
            );
        }
    }
}

/// A claim that was announced, and then announced by another before its transaction could take the
/// row, is not won: the other one is about to take it.
#[tokio::test(flavor = "multi_thread")]
async fn an_announcement_that_was_overtaken_wins_nothing() {
    let Some(database) = Database::with("overtaken_keys").await else {
        return;
    };
    // What the other one does in between.
    database
        .execute(
            "create function overtake() returns trigger language plpgsql as $$
            begin
                update {table} set fence = nextval('{table}_fences') where key = new.key;
                return null;
            end $$;
            create trigger overtake after insert on {table}
                for each row execute function overtake();",
        )
        .await;
    let ledger = database.ledger(&rules());
    let mut connection = database.pool().get().await.unwrap();
    let mut transaction = connection.transaction().await.unwrap();
    let refusal = ledger.begin_in(&mut transaction, request("k")).await;
    assert_eq!(refusal.unwrap_err().code(), "IDEMPOTENCY_IN_PROGRESS");
}

/// A lock on the row makes a claim wait, even if there is nothing to do: only for a while, and the
/// next user of the connection is not bound by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_waits_for_a_lock_only_so_long() {
    let Some(database) = Database::with("waiting_keys").await else {
        return;
    };
    let url = database.server.url();
    let manager = deadpool_postgres::Manager::new(url.parse().unwrap(), tokio_postgres::NoTls);
    let pool = deadpool_postgres::Pool::builder(manager)
        .max_size(1)
        .build()
        .unwrap();
    let store = resilient_store::PostgresStore::new(pool.clone())
        .table(database.table)
        .unwrap()
        .lock_timeout(Duration::from_millis(20));
    for state in [State::Running, State::Completed] {
        let claimed = store.claim(&claim(&format!("{state:?}"), 1)).await.unwrap();
        assert!(matches!(claimed, Claimed::Won(_)));
    }
    database.execute("update {table} set state = 1, status = 200, head = '', body = '' where key = 'Completed'").await;
    let mut other = database.raw.begin().await.unwrap();
    sqlx::query("select from waiting_keys for update")
        .execute(&mut *other)
        .await
        .unwrap();
    for state in [State::Running, State::Completed] {
        let claimed = store.claim(&claim(&format!("{state:?}"), 2)).await.unwrap();
        assert_eq!(taken(claimed), state);
    }
    // What could be taken over is at work as long as somebody has it.
    sqlx::query("update waiting_keys set leased_until = now(), expires_at = now()")
        .execute(&mut *other)
        .await
        .unwrap();
    other.commit().await.unwrap();
    let mut other = database.raw.begin().await.unwrap();
    sqlx::query("select from waiting_keys for update")
        .execute(&mut *other)
        .await
        .unwrap();
    for state in [State::Running, State::Completed] {
        let claimed = store.claim(&claim(&format!("{state:?}"), 2)).await.unwrap();
        assert_eq!(taken(claimed), State::Running);
    }
    let kept = pool
        .get()
        .await
        .unwrap()
        .query_one("show lock_timeout", &[])
        .await
        .unwrap();
    assert_eq!(kept.get::<_, String>(0), "0");
}

/// Rows of a later version, or of other hands.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_an_error_and_what_is_not_known_is_not_run() {
    let Some(database) = Database::with("strange_keys").await else {
        return;
    };
    let store = database.store();
    let rows = [
        (
            "fingerprint_version = 1, fingerprint = '\\x01'",
            "fingerprint",
        ),
        (
            "fingerprint_version = 70000, fingerprint = sha256('')",
            "fingerprint",
        ),
        ("owner = '\\x01'", "owner"),
        ("state = 1, status = 70000, head = '', body = ''", "status"),
    ];
    for (number, (change, told)) in rows.iter().enumerate() {
        let key = format!("unreadable{number}");
        store.claim(&claim(&key, 1)).await.unwrap();
        database
            .execute(&format!(
                "update {{table}} set {change} where key = '{key}'"
            ))
            .await;
        let error = store.claim(&claim(&key, 2)).await.unwrap_err();
        assert!(matches!(error, StoreError::Unreadable { .. }), "{error:?}");
        assert!(error.to_string().contains(told), "{error}");
    }
    store.claim(&claim("later", 1)).await.unwrap();
    database
        .execute("update {table} set state = 9, leased_until = now(), expires_at = now() where key = 'later'")
        .await;
    assert_eq!(
        taken(store.claim(&claim("later", 2)).await.unwrap()),
        State::Uncertain
    );
    store.claim(&claim("effects", 1)).await.unwrap();
    database
        .execute("update {table} set effects = 9, leased_until = now() where key = 'effects'")
        .await;
    assert_eq!(
        taken(store.claim(&claim("effects", 2)).await.unwrap()),
        State::Uncertain
    );
}

/// Times that no database knows are as long as they can be, and nothing overflows.
#[tokio::test(flavor = "multi_thread")]
async fn endless_times_and_the_last_attempt_are_held() {
    let Some(database) = Database::with("endless_keys").await else {
        return;
    };
    let store = database.store();
    let endless = resilient_core::idempotency::Claim {
        lease: Duration::MAX,
        ttl: Duration::MAX,
        tombstone: Duration::MAX,
        ..claim("endless", 1)
    };
    let Claimed::Won(won) = store.claim(&endless).await.unwrap() else {
        panic!("the key is new");
    };
    store
        .renew(&endless.id, won.fence, Duration::MAX, None)
        .await
        .unwrap();
    store
        .renew(&endless.id, Fence(u64::MAX), Duration::ZERO, None)
        .await
        .unwrap();
    assert_eq!(
        taken(store.claim(&claim("endless", 2)).await.unwrap()),
        State::Running
    );
    database
        .execute("update {table} set attempts = 2147483647, leased_until = now()")
        .await;
    let Claimed::Won(won) = store.claim(&claim("endless", 2)).await.unwrap() else {
        panic!("the lease has lapsed");
    };
    assert_eq!(won.attempts, 2_147_483_647);
}

/// A repeat of what is finished locks no row, so it neither waits for one nor for the disk.
#[tokio::test(flavor = "multi_thread")]
async fn i08_a_replay_only_reads() {
    let Some(database) = Database::with("replayed_keys").await else {
        return;
    };
    let store = database.store();
    let Claimed::Won(won) = store.claim(&claim("k", 1)).await.unwrap() else {
        panic!("the key is new");
    };
    let finish = Finish::Completed {
        answer: answer("one"),
        resource: None,
    };
    store.complete(&id("k"), won.fence, &finish).await.unwrap();
    let place = "select (ctid::text || xmin::text || xmax::text) from {table}";
    let place = place.replace("{table}", database.table);
    let row = || sqlx::query_scalar::<_, String>(AssertSqlSafe(place.clone()));
    let before = row().fetch_one(&database.raw).await.unwrap();
    assert_eq!(
        taken(store.claim(&claim("k", 2)).await.unwrap()),
        State::Completed
    );
    assert_eq!(row().fetch_one(&database.raw).await.unwrap(), before);

    let mut other = database.raw.begin().await.unwrap();
    let lock = format!("select from {} for update", database.table);
    sqlx::query(AssertSqlSafe(lock))
        .execute(&mut *other)
        .await
        .unwrap();
    let patient = database.store().lock_timeout(Duration::from_secs(3_600));
    let told = patient.claim(&claim("k", 3)).await.unwrap();
    assert_eq!(taken(told), State::Completed);
    other.rollback().await.unwrap();
}
