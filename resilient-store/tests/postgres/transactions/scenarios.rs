//! What happens to a key that is claimed inside transactions. Each scenario has three of them.

use std::time::Duration;

use resilient_core::idempotency::{
    Begun, Effects, Ended, Execution, Fingerprint, Joined, Ledger, Refusal, Request, Resource,
    State, Store,
};

use super::work::Work;
use crate::database::{Database, answer, id, request, rules};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Scenario {
    Committed,
    RolledBack,
    Busy,
    Late,
    Killed,
    BesideALease,
    AfterALease,
    Uncertain,
    OldWhenDone,
    AnotherPayloadAfterRollback,
    AnotherPayloadAfterALease,
}

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario::Committed,
    Scenario::RolledBack,
    Scenario::Busy,
    Scenario::Late,
    Scenario::Killed,
    Scenario::BesideALease,
    Scenario::AfterALease,
    Scenario::Uncertain,
    Scenario::OldWhenDone,
    Scenario::AnotherPayloadAfterRollback,
    Scenario::AnotherPayloadAfterALease,
];

pub(crate) async fn play<S: Store, W: Work<S>>(
    scenario: Scenario,
    database: &Database,
    ledger: &Ledger,
    transactions: [W; 3],
) {
    let stage = &Stage {
        database,
        ledger,
        key: format!("{scenario:?}"),
    };
    match scenario {
        Scenario::Committed => committed(stage, transactions).await,
        Scenario::RolledBack => i35_rolled_back(stage, transactions).await,
        Scenario::Busy => i21_busy(stage, transactions).await,
        Scenario::Late => i36_late(stage, transactions).await,
        Scenario::Killed => killed(stage, transactions).await,
        Scenario::BesideALease => beside_a_lease(stage, transactions).await,
        Scenario::AfterALease => after_a_lease(stage, transactions).await,
        Scenario::Uncertain => uncertain(stage, transactions).await,
        Scenario::OldWhenDone => old_when_done(stage, transactions).await,
        Scenario::AnotherPayloadAfterRollback => i26_another_payload(stage, transactions).await,
        Scenario::AnotherPayloadAfterALease => q03_after_a_lease(stage, transactions).await,
    }
}

struct Stage<'a> {
    database: &'a Database,
    ledger: &'a Ledger,
    key: String,
}

impl Stage<'_> {
    fn request(&self) -> Request<'static> {
        request(&self.key)
    }

    fn of(&self, payload: &str) -> Request<'static> {
        self.request()
            .fingerprint(Fingerprint::of_bytes(&[payload.as_bytes()]))
    }

    /// Begins and does the work, without storing that it was done.
    async fn works<S: Store, W: Work<S>>(&self, transaction: &mut W, who: &str) -> Execution {
        match self.ledger.begin_in(transaction, self.request()).await {
            Ok(Joined::Run(execution)) => {
                self.makes(transaction, who).await;
                execution
            }
            other => panic!("{}: {who}: {other:?}", self.key),
        }
    }

    async fn makes<S: Store, W: Work<S>>(&self, transaction: &mut W, who: &str) {
        let (table, key) = (self.database.table, &self.key);
        transaction
            .execute(&format!(
                "insert into {table}_orders values ('{key} {who}')"
            ))
            .await;
    }

    async fn completes<S: Store, W: Work<S>>(
        &self,
        transaction: &mut W,
        execution: &Execution,
        who: &str,
    ) -> Result<(), Refusal> {
        let made = Some(Resource::new("order", who));
        self.ledger
            .complete_in(transaction, execution, answer(who), made)
            .await
    }

    async fn refused<S: Store, W: Work<S>>(
        &self,
        transaction: &mut W,
        request: Request<'_>,
    ) -> &'static str {
        match self.ledger.begin_in(transaction, request).await {
            Err(refusal) => refusal.code(),
            Ok(joined) => panic!("{}: {joined:?}", self.key),
        }
    }

    async fn replays<S: Store, W: Work<S>>(&self, transaction: &mut W, who: &str) {
        match self.ledger.begin_in(transaction, self.request()).await {
            Ok(Joined::Replay(kept)) => assert_eq!(kept, answer(who), "{}", self.key),
            other => panic!("{}: {other:?}", self.key),
        }
    }

    /// Whose work stands.
    async fn made_by(&self, who: &str) {
        let (table, key) = (self.database.table, &self.key);
        let of = |who: &str| {
            format!("select count(*) from {table}_orders where made_by like '{key} {who}'")
        };
        let (all, own) = (
            self.database.number(&of("%")).await,
            self.database.number(&of(who)).await,
        );
        assert_eq!((all, own), (1, 1), "{key}");
    }
}

async fn committed<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let first = stage.works(&mut a, "a").await;
    assert_eq!(first.attempts(), 1);
    stage.completes(&mut a, &first, "a").await.unwrap();
    // A completion whose answer was lost is repeated.
    stage.completes(&mut a, &first, "a").await.unwrap();
    a.commit().await;
    stage.replays(&mut b, "a").await;
    stage.replays(&mut c, "a").await;
    stage.made_by("a").await;
    // The same record is a replay to one that has a lease.
    assert!(matches!(
        stage.ledger.begin(stage.request()).await,
        Ok(Begun::Replay(_))
    ));
}

/// I35: an error of the business rolls everything back, and the next one runs at once.
async fn i35_rolled_back<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let first = stage.works(&mut a, "a").await;
    stage.completes(&mut a, &first, "a").await.unwrap();
    a.roll_back().await;
    let second = stage.works(&mut b, "b").await;
    assert!(second.fence() > first.fence());
    assert_eq!(second.attempts(), 1, "what was rolled back was no attempt");
    stage.completes(&mut b, &second, "b").await.unwrap();
    b.commit().await;
    stage.replays(&mut c, "b").await;
    stage.made_by("b").await;
}

/// I21, Q03: while one is at work, a repeat is told so at once, and another payload as well.
async fn i21_busy<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let Ok(Joined::Run(first)) = stage.ledger.begin_in(&mut a, stage.of("one")).await else {
        panic!("the key is new");
    };
    stage.makes(&mut a, "a").await;
    assert_eq!(
        stage.refused(&mut b, stage.of("one")).await,
        "IDEMPOTENCY_IN_PROGRESS"
    );
    assert_eq!(
        stage.refused(&mut b, stage.of("two")).await,
        "IDEMPOTENCY_KEY_REUSED"
    );
    stage.completes(&mut a, &first, "a").await.unwrap();
    // Not before it is committed.
    assert_eq!(
        stage.refused(&mut b, stage.of("one")).await,
        "IDEMPOTENCY_IN_PROGRESS"
    );
    a.commit().await;
    stage.replays(&mut c, "a").await;
    assert_eq!(
        stage.refused(&mut c, stage.of("two")).await,
        "IDEMPOTENCY_KEY_REUSED"
    );
    stage.made_by("a").await;
}

/// I36: one that lost its transaction goes on in another, after the next one has completed: it
/// updates no row, and is told to roll back.
async fn i36_late<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let first = stage.works(&mut a, "a").await;
    a.roll_back().await;
    let second = stage.works(&mut b, "b").await;
    stage.completes(&mut b, &second, "b").await.unwrap();
    b.commit().await;
    stage.makes(&mut c, "a").await;
    let lost = stage.ledger.counts().lease_lost;
    let refusal = stage.completes(&mut c, &first, "a").await.unwrap_err();
    assert!(matches!(refusal, Refusal::LeaseLost { .. }), "{refusal:?}");
    assert_eq!(stage.ledger.counts().lease_lost, lost + 1);
    c.roll_back().await;
    stage.made_by("b").await;
}

/// A process that dies frees the key as soon as the server has noticed: no lease to wait for.
async fn killed<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let first = stage.works(&mut a, "a").await;
    stage.completes(&mut a, &first, "a").await.unwrap();
    let process = a.process().await;
    let ended = format!("select pg_terminate_backend({process}, 60000)::int::bigint");
    assert_eq!(stage.database.number(&ended).await, 1);
    let second = stage.works(&mut b, "b").await;
    stage.completes(&mut b, &second, "b").await.unwrap();
    b.commit().await;
    stage.replays(&mut c, "b").await;
    stage.made_by("b").await;
}

/// A claim with a lease does not wait for a transaction that has the row, and has it after a
/// rollback.
async fn beside_a_lease<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, _]: [W; 3]) {
    stage.works(&mut a, "a").await;
    let refusal = stage.ledger.begin(stage.request()).await.unwrap_err();
    assert_eq!(refusal.code(), "IDEMPOTENCY_IN_PROGRESS");
    a.roll_back().await;
    let Ok(Begun::Run(run)) = stage.ledger.begin(stage.request()).await else {
        panic!("it was rolled back");
    };
    assert_eq!(run.execution().attempts(), 1);
    assert_eq!(
        stage.refused(&mut b, stage.request()).await,
        "IDEMPOTENCY_IN_PROGRESS"
    );
    run.release().await.unwrap();
    stage.works(&mut b, "b").await;
    b.commit().await;
    stage.made_by("b").await;
}

/// A transaction takes over a lease that has lapsed, and not before; whoever had it is refused.
async fn after_a_lease<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, _]: [W; 3]) {
    let Ok(Begun::Run(run)) = stage.ledger.begin(stage.request()).await else {
        panic!("the key is new");
    };
    run.checkpoint("paid").await.unwrap();
    assert_eq!(
        stage.refused(&mut a, stage.request()).await,
        "IDEMPOTENCY_IN_PROGRESS"
    );
    a.roll_back().await;
    stage.database.pass(Duration::from_secs(31)).await;
    let second = stage.works(&mut b, "b").await;
    assert_eq!((second.attempts(), second.checkpoint()), (2, Some("paid")));
    stage.completes(&mut b, &second, "b").await.unwrap();
    b.commit().await;
    let ended = run.complete(answer("a"), None).await.unwrap();
    assert!(matches!(ended, Ended::Superseded(Ok(stands)) if stands == answer("b")));
    stage.made_by("b").await;
}

/// A lapsed lease over effects that cannot be repeated is not taken over by a transaction either.
async fn uncertain<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, ..]: [W; 3]) {
    let unkeyed = stage
        .ledger
        .with_rules(&rules().effects(Effects::Unkeyed))
        .unwrap();
    let _run = unkeyed.begin(stage.request()).await.unwrap();
    stage.database.pass(Duration::from_secs(31)).await;
    assert_eq!(
        stage.refused(&mut a, stage.request()).await,
        "IDEMPOTENCY_UNCERTAIN"
    );
    let record = stage.ledger.show(&id(&stage.key)).await.unwrap().unwrap();
    assert_eq!(record.state, State::Uncertain);
}

/// Q15: a purge leaves the row that a transaction is at work on, however old it is; what was rolled
/// back goes when its time is over.
async fn old_when_done<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, _]: [W; 3]) {
    let brief = rules().ttl("3s").lease("3s").store_timeout("2900ms");
    let brief = stage.ledger.with_rules(&brief).unwrap();
    let Ok(Joined::Run(first)) = brief.begin_in(&mut a, stage.request()).await else {
        panic!("the key is new");
    };
    stage.makes(&mut a, "a").await;
    let Ok(Joined::Run(_)) = brief.begin_in(&mut b, request("rolled back")).await else {
        panic!("the key is new");
    };
    b.roll_back().await;
    let over = "select count(*) from {table} where purge_at <= now()
        and key in ('OldWhenDone', 'rolled back')";
    while stage.database.number(over).await < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while !stage.ledger.purge(1_000).await.unwrap().is_done() {}
    assert_eq!(stage.database.number(over).await, 1);
    stage.completes(&mut a, &first, "a").await.unwrap();
    a.commit().await;
    stage.made_by("a").await;
}

/// I26: what was rolled back has left nothing that a corrected request could contradict.
async fn i26_another_payload<S: Store, W: Work<S>>(
    stage: &Stage<'_>,
    [mut a, mut b, mut c]: [W; 3],
) {
    let begun = stage.ledger.begin_in(&mut a, stage.of("wrong")).await;
    assert!(matches!(begun, Ok(Joined::Run(_))));
    a.roll_back().await;
    let begun = stage.ledger.begin_in(&mut b, stage.of("right")).await;
    assert!(matches!(begun, Ok(Joined::Run(_))));
    assert_eq!(
        stage.refused(&mut c, stage.of("right")).await,
        "IDEMPOTENCY_IN_PROGRESS"
    );
    assert_eq!(
        stage.refused(&mut c, stage.of("wrong")).await,
        "IDEMPOTENCY_KEY_REUSED"
    );
}

/// Q03: a lease run may have had effects outside, so no transaction with another payload takes it over,
/// not even after one with its own was rolled back.
async fn q03_after_a_lease<S: Store, W: Work<S>>(stage: &Stage<'_>, [mut a, mut b, mut c]: [W; 3]) {
    let begun = stage.ledger.begin(stage.of("one")).await;
    let Ok(Begun::Run(run)) = begun else {
        panic!("the key is new");
    };
    run.fail().await.unwrap();
    let reused = "IDEMPOTENCY_KEY_REUSED";
    assert_eq!(stage.refused(&mut a, stage.of("two")).await, reused);
    let Ok(Joined::Run(second)) = stage.ledger.begin_in(&mut b, stage.of("one")).await else {
        panic!("it failed");
    };
    assert_eq!(second.attempts(), 2);
    b.roll_back().await;
    assert_eq!(stage.refused(&mut a, stage.of("two")).await, reused);
    let Ok(Joined::Run(third)) = stage.ledger.begin_in(&mut c, stage.of("one")).await else {
        panic!("it was rolled back");
    };
    assert_eq!(third.attempts(), 2, "what was rolled back was no attempt");
}
