//! What Redis is asked.

use std::sync::Arc;
use std::time::Duration;

use redis::FromRedisValue;
use resilient_core::rate_limit::{Ask, Decision, LimitSettings};

use super::kind::Kind;
use super::lines::Task;
use super::reading::Found;
use super::refund::full_at;
use super::scripts::Scripts;
use super::subject::Subject;
use super::words::words;
use crate::redis::{Guarded, NoAnswer};

/// The scripts on a server, and under which names they keep what.
#[derive(Debug)]
pub(super) struct There {
    redis: Guarded,
    prefix: String,
    scripts: Scripts,
}

/// What came of asking for a batch.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) decision: Decision,
    /// How much was taken; 0 for a refusal.
    pub(super) granted: u32,
    /// For how long it may be handed out, from before it was asked for.
    pub(super) lifetime: Duration,
}

impl There {
    pub(super) fn new(redis: Guarded, prefix: String) -> Self {
        There {
            redis,
            prefix,
            scripts: Scripts::default(),
        }
    }

    pub(super) async fn decide(
        &self,
        subject: &Subject,
        ask: &Ask<'_>,
    ) -> Result<Decision, NoAnswer> {
        let word = if takes(ask) { "take" } else { "look" };
        let limits = ask.limits.iter();
        let told = limits.map(|limit| (limit, words(limit, ask.cost, 0)));
        let asked = self.run(Task::Decide, subject, ask.cost, word, told);
        let found: Found = asked.await?;
        Ok(found.decision(ask, ask.cost))
    }

    /// Takes up to `wanted` for a request that needs some of it. What is taken lasts no longer than
    /// `longest` takes to come back.
    pub(super) async fn reserve(
        &self,
        subject: &Subject,
        ask: &Ask<'_>,
        needed: u32,
        wanted: u32,
        longest: u32,
    ) -> Result<Batch, NoAnswer> {
        // The script is told the time of one token and counts them itself.
        let told = ask.limits.iter().map(|limit| (limit, words(limit, 1, 0)));
        let wanted = wanted.to_string();
        let asked = self.run(Task::Reserve, subject, needed, &wanted, told);
        let found: Found = asked.await?;
        Ok(Batch {
            decision: found.decision(ask, needed),
            granted: found.allowed,
            lifetime: found.lifetime(ask.limits, longest),
        })
    }

    pub(super) async fn refund(
        &self,
        subject: &Subject,
        limits: &Arc<[LimitSettings]>,
        cost: u32,
        decision: &Decision,
    ) -> Result<(), NoAnswer> {
        let charged = |limit| full_at(decision, limit).map(|full_at| (limit, full_at));
        let limits = limits.iter().filter_map(charged);
        let told = limits.map(|(limit, full_at)| (limit, words(limit, cost, full_at)));
        let at = decision.decided_at().to_string();
        self.run(Task::Refund, subject, cost, &at, told).await
    }

    /// Runs the script of a task about limits of a subject, each with the words it is told in.
    async fn run<'limits, T: FromRedisValue>(
        &self,
        task: Task,
        subject: &Subject,
        cost: u32,
        word: &str,
        limits: impl Iterator<Item = (&'limits LimitSettings, Vec<String>)>,
    ) -> Result<T, NoAnswer> {
        let (limits, words): (Vec<_>, Vec<_>) = limits.unzip();
        let kinds: Vec<_> = limits.iter().map(|limit| Kind::of(limit)).collect();
        let script = self.scripts.of(task, &kinds);
        let mut invocation = script.prepare_invoke();
        invocation.arg(cost).arg(word).arg(words.concat());
        for limit in limits {
            invocation.key(subject.key_of(&self.prefix, limit));
        }
        self.redis.ask(|redis| redis.run(&invocation)).await
    }
}

/// Whether a request wants to have something.
pub(super) fn takes(ask: &Ask<'_>) -> bool {
    ask.charge && ask.cost > 0
}
