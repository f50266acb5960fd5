//! Plays a script on a store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::{
    Answer, Claim, Claimed, Fence, Fenced, Filter, Fingerprint, Finish, Key, Record, RecordId,
    Resource, Scope, State, Store, Won,
};

use crate::stage::{Ability, Stage};
use crate::step::{LEASE, Row, Step, TTL};

/// How far a time may be off that a slow machine has spent itself, in seconds.
const SLACK: u64 = 120;

pub(crate) async fn play(stage: &impl Stage, row: &Row) {
    let mut script = Script {
        stage,
        store: stage.store(),
        row,
        id: RecordId::new(
            Scope::of("promise").and(row.name),
            Key::literal("'; drop table x; --").unwrap(),
        ),
        fences: HashMap::new(),
        last: None,
    };
    for (at, step) in row.steps.iter().enumerate() {
        script
            .step(step, &format!("{}: step {at}, {step:?}", row.name))
            .await;
    }
    script.tidy_up().await;
}

struct Script<'a, S> {
    stage: &'a S,
    store: Arc<dyn Store>,
    row: &'a Row,
    id: RecordId,
    fences: HashMap<&'static str, Fence>,
    /// Who won last.
    last: Option<&'static str>,
}

impl<S: Stage> Script<'_, S> {
    async fn step(&mut self, step: &Step, at: &str) {
        match *step {
            Step::Wins(who, attempts, checkpoint) => {
                let won = self.wins(who, attempts, at).await;
                assert_eq!(won.checkpoint.as_deref(), checkpoint, "{at}");
                assert!(!won.retried, "{at}");
            }
            Step::Retries(who, attempts) => {
                let won = self.wins(who, attempts, at).await;
                assert!(won.retried, "{at}");
            }
            Step::WinsAgain(who) => {
                let won = self.won(who, at).await;
                assert_eq!(won.fence, self.fences[who], "{at}");
            }
            Step::Told(who, state) => {
                let Claimed::Taken(record) = self.claim(who, at).await else {
                    panic!("{at}: won");
                };
                self.check(&record, state, at);
            }
            Step::Pass(seconds) => self.stage.pass(Duration::from_secs(seconds)).await,
            Step::Renew(who, expected) => self.renew(who, None, expected, at).await,
            Step::Checkpoint(who, reached, expected) => {
                self.renew(who, Some(reached), expected, at).await;
            }
            Step::Complete(who, expected) => self.complete(who, &answered(who), expected, at).await,
            Step::Drop(who, expected) => self.complete(who, &done(who), expected, at).await,
            Step::Doubt(who, expected) => {
                self.complete(who, &Finish::Uncertain, expected, at).await;
            }
            Step::Lapse(who, expected) => {
                let lapsed = self.store.lapse(&self.id, self.fences[who]).await;
                assert_eq!(lapsed.expect(at), expected, "{at}");
            }
            Step::Withdraw(who) => self.store.withdraw(&self.claim_of(who)).await.expect(at),
            Step::Release(who, expected) => {
                let released = self.store.release(&self.id, self.fences[who]).await;
                assert_eq!(released.expect(at), expected, "{at}");
            }
            Step::SettleAnswered(who, expected) => {
                self.settle(who, Some(&answered(who)), expected, at).await;
            }
            Step::SettleDone(who, expected) => {
                self.settle(who, Some(&done(who)), expected, at).await;
            }
            Step::SettleNotDone(who, expected) => self.settle(who, None, expected, at).await,
            Step::Remove(expected) => {
                let removed = self.store.remove(&self.id).await.expect(at);
                assert_eq!(removed, expected, "{at}");
            }
            _ => self.look(step, at).await,
        }
    }

    /// The steps that change nothing, or nothing that counts.
    async fn look(&self, step: &Step, at: &str) {
        match *step {
            Step::Shows(state, answer) => {
                let record = self
                    .find(at)
                    .await
                    .unwrap_or_else(|| panic!("{at}: nothing"));
                self.check(&record, state, at);
                assert_eq!(record.answer, answer.map(answer_of), "{at}");
            }
            Step::ShowsNothing => assert_eq!(self.find(at).await, None, "{at}"),
            Step::Left(lease, record) => {
                let found = self
                    .find(at)
                    .await
                    .unwrap_or_else(|| panic!("{at}: nothing"));
                is_about(found.lease_left, lease, at);
                assert_eq!(found.expires_in.is_some(), record.is_some(), "{at}");
                if let (Some(found), Some(expected)) = (found.expires_in, record) {
                    is_about(found, expected, at);
                }
            }
            Step::AnswerLeft(expected) => {
                let found = self.find(at).await.expect(at).answer_left;
                assert_eq!(found.is_some(), expected.is_some(), "{at}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    is_about(found, expected, at);
                }
            }
            Step::Purge(deleted, stripped) if self.can(Ability::Purge) => {
                let purged = self.store.purge(10).await.expect(at);
                assert_eq!(
                    (purged.deleted, purged.stripped),
                    (deleted, stripped),
                    "{at}"
                );
            }
            Step::Purge(..) => drop(self.store.purge(10).await.expect(at)),
            Step::Listed(state) if self.can(Ability::List) => self.listed(state, at).await,
            Step::Counted(running, uncertain, expired) if self.can(Ability::Count) => {
                let backlog = self.store.backlog().await.expect(at);
                let counted = (backlog.running, backlog.uncertain, backlog.expired);
                assert_eq!(counted, (running, uncertain, expired), "{at}");
            }
            _ => {}
        }
    }

    fn can(&self, ability: Ability) -> bool {
        !self.stage.cannot().contains(&ability)
    }

    fn claim_of(&self, who: &str) -> Claim {
        Claim {
            id: self.id.clone(),
            fingerprint: Some(fingerprint(who)),
            effects: self.row.effects,
            owner: u128::from_be_bytes(*format!("{who:>16}").as_bytes().first_chunk().unwrap()),
            lease: Duration::from_secs(LEASE),
            ttl: Duration::from_secs(TTL),
            tombstone: Duration::from_secs(self.row.tombstone),
        }
    }

    async fn claim(&self, who: &'static str, at: &str) -> Claimed {
        self.store.claim(&self.claim_of(who)).await.expect(at)
    }

    async fn won(&self, who: &'static str, at: &str) -> Won {
        match self.claim(who, at).await {
            Claimed::Won(won) => won,
            Claimed::Taken(record) => panic!("{at}: taken, {record:?}"),
        }
    }

    async fn wins(&mut self, who: &'static str, attempts: u32, at: &str) -> Won {
        let won = self.won(who, at).await;
        assert_eq!(won.attempts, attempts, "{at}");
        for (earlier, fence) in &self.fences {
            assert!(
                won.fence > *fence,
                "{at}: the fence of {earlier} is not lower"
            );
        }
        self.fences.insert(who, won.fence);
        self.last = Some(who);
        won
    }

    async fn renew(&self, who: &str, checkpoint: Option<&str>, expected: Fenced, at: &str) {
        let lease = Duration::from_secs(LEASE);
        let fence = self.fences[who];
        let renewed = self.store.renew(&self.id, fence, lease, checkpoint).await;
        assert_eq!(renewed.expect(at), expected, "{at}");
    }

    async fn complete(&self, who: &str, finish: &Finish, expected: Fenced, at: &str) {
        let completed = self
            .store
            .complete(&self.id, self.fences[who], finish)
            .await;
        assert_eq!(completed.expect(at), expected, "{at}");
    }

    async fn settle(&self, who: &str, finish: Option<&Finish>, expected: Fenced, at: &str) {
        let settled = self.store.settle(&self.id, self.fences[who], finish).await;
        assert_eq!(settled.expect(at), expected, "{at}");
    }

    async fn find(&self, at: &str) -> Option<Record> {
        self.store.find(&self.id).await.expect(at)
    }

    async fn listed(&self, state: Option<State>, at: &str) {
        for asked in [
            State::Running,
            State::Completed,
            State::BodyDropped,
            State::Uncertain,
        ] {
            let filter = Filter {
                scope: Some(self.id.scope().clone()),
                state: Some(asked),
                limit: 10,
            };
            let found = self.store.list(&filter).await.expect(at);
            let expected = usize::from(state == Some(asked));
            assert_eq!(found.len(), expected, "{at}: {asked:?}");
            for record in found {
                self.check(&record, asked, at);
                assert_eq!(record.answer, None, "{at}");
            }
        }
        let other = Filter {
            scope: Some(Scope::of("another")),
            state: None,
            limit: 10,
        };
        assert!(self.store.list(&other).await.expect(at).is_empty(), "{at}");
    }

    /// What is the same in every record that is told, shown or listed.
    fn check(&self, record: &Record, state: State, at: &str) {
        assert_eq!(record.state, state, "{at}");
        assert_eq!(record.id, self.id, "{at}");
        assert_eq!(record.effects, self.row.effects, "{at}");
        let last = self.last.unwrap_or_else(|| panic!("{at}: nobody has won"));
        assert_eq!(record.fence, self.fences[last], "{at}");
        assert_eq!(record.fingerprint, Some(fingerprint(last)), "{at}");
        let made = matches!(state, State::Completed | State::BodyDropped);
        assert_eq!(record.resource, made.then(|| resource_of(last)), "{at}");
    }

    /// Leaves nothing for the next script to count.
    async fn tidy_up(&self) {
        let at = self.row.name;
        self.store.remove(&self.id).await.expect(at);
        while !self.store.purge(10).await.expect(at).is_done() {}
    }
}

fn is_about(found: Duration, expected: u64, at: &str) {
    let seconds = found.as_secs();
    assert!(
        seconds <= expected && seconds + SLACK >= expected,
        "{at}: {seconds} s are left, not {expected}"
    );
}

fn fingerprint(who: &str) -> Fingerprint {
    let version = who.bytes().next().map_or(0, u16::from);
    Fingerprint::of_bytes(&[who.as_bytes()]).version(version)
}

fn resource_of(who: &str) -> Resource {
    Resource::new("order", who)
}

/// With every byte there is, so that nothing is lost that is no text.
fn answer_of(who: &str) -> Answer {
    Answer {
        status: 201,
        head: (0..=255).rev().collect(),
        body: who.bytes().chain(0..=255).collect(),
    }
}

fn answered(who: &str) -> Finish {
    Finish::Completed {
        answer: answer_of(who),
        resource: Some(resource_of(who)),
    }
}

fn done(who: &str) -> Finish {
    Finish::BodyDropped {
        resource: Some(resource_of(who)),
    }
}
