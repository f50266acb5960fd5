//! Many callers who want one key at once, from two processes.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::{
    Claim, Claimed, Effects, Fence, Fenced, Finish, Key, RecordId, Scope, State,
};

use crate::stage::Stage;

const CROWD: u32 = 50;
const LEASE: Duration = Duration::from_secs(1_000);

pub(crate) async fn play(stage: &impl Stage) {
    i17_q01_q02_one_of_many_wins(stage).await;
    i30_one_of_many_takes_over(stage).await;
    a_lapsed_lease_is_doubted_by_all(stage).await;
}

fn claim(key: &str, owner: u32, effects: Effects) -> Claim {
    Claim {
        id: RecordId::new(Scope::of("crowd"), Key::literal(key).unwrap()),
        fingerprint: None,
        effects,
        owner: u128::from(owner),
        lease: LEASE,
        ttl: LEASE * 10,
        tombstone: Duration::ZERO,
    }
}

/// What a crowd is answered that claims a key at once: the fences that were won, and the states the
/// others were told.
async fn rush(stage: &impl Stage, key: &'static str, effects: Effects) -> (Vec<Fence>, Vec<State>) {
    let stores = [stage.store(), stage.another()];
    let callers: Vec<_> = (1..=CROWD)
        .map(|owner| {
            let store = Arc::clone(&stores[owner as usize % 2]);
            tokio::spawn(async move { store.claim(&claim(key, owner, effects)).await.unwrap() })
        })
        .collect();
    let (mut fences, mut states) = (Vec::new(), Vec::new());
    for caller in callers {
        match caller.await.unwrap() {
            Claimed::Won(won) => fences.push(won.fence),
            Claimed::Taken(record) => states.push(record.state),
        }
    }
    (fences, states)
}

/// I17, Q01, Q02: 50 claims of a new key, one winner; the others are told that it is running, and
/// none is an error.
async fn i17_q01_q02_one_of_many_wins(stage: &impl Stage) {
    let (fences, states) = rush(stage, "new", Effects::Keyed).await;
    assert_eq!(fences.len(), 1);
    assert_eq!(states, vec![State::Running; CROWD as usize - 1]);
}

/// I30: 50 takeovers of one lapsed lease, one winner under a higher fence, and the first owner is
/// refused from then on.
async fn i30_one_of_many_takes_over(stage: &impl Stage) {
    let first = claim("lapsed", 0, Effects::Keyed);
    let Claimed::Won(won) = stage.store().claim(&first).await.unwrap() else {
        panic!("the key is new");
    };
    stage.pass(LEASE + LEASE / 5).await;
    let (fences, states) = rush(stage, "lapsed", Effects::Keyed).await;
    assert_eq!(fences.len(), 1);
    assert!(fences[0] > won.fence);
    assert_eq!(states, vec![State::Running; CROWD as usize - 1]);
    let late = Finish::BodyDropped { resource: None };
    let completed = stage.store().complete(&first.id, won.fence, &late).await;
    assert_eq!(completed.unwrap(), Fenced::Lost);
}

/// I30 over effects that cannot be repeated: nobody wins.
async fn a_lapsed_lease_is_doubted_by_all(stage: &impl Stage) {
    let first = claim("doubtful", 0, Effects::Unkeyed);
    stage.store().claim(&first).await.unwrap();
    stage.pass(LEASE + LEASE / 5).await;
    let (fences, states) = rush(stage, "doubtful", Effects::Unkeyed).await;
    assert!(fences.is_empty());
    assert_eq!(states, vec![State::Uncertain; CROWD as usize]);
}
