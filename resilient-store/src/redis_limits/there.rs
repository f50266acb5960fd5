//! What Redis is asked.

use std::sync::Arc;
use std::time::Duration;

use redis::{Script, ScriptInvocation};
use resilient_core::rate_limit::{Ask, Decision, LimitSettings};

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
            scripts: Scripts::new(),
        }
    }

    pub(super) async fn decide(
        &self,
        subject: &Subject,
        ask: &Ask<'_>,
    ) -> Result<Decision, NoAnswer> {
        let word = if takes(ask) { "take" } else { "look" };
        let limits = ask.limits.iter().map(|limit| (limit, ask.cost, 0));
        let script = self.invocation(&self.scripts.decide, subject, ask.cost, word, limits);
        let found: Found = self.redis.ask(|redis| redis.run(&script)).await?;
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
        let word = format!("{needed} {wanted}");
        // The script is told the time of one token and counts them itself.
        let limits = ask.limits.iter().map(|limit| (limit, 1, 0));
        let script = self.invocation(&self.scripts.reserve, subject, needed, &word, limits);
        let found: Found = self.redis.ask(|redis| redis.run(&script)).await?;
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
        let charged = |limit| full_at(decision, limit).map(|full_at| (limit, cost, full_at));
        let limits = limits.iter().filter_map(charged);
        let at = decision.decided_at().to_string();
        let script = self.invocation(&self.scripts.refund, subject, cost, &at, limits);
        self.redis.ask(|redis| redis.run(&script)).await
    }

    /// A script on limits of a subject, each with the cost and the time it is told in words.
    fn invocation<'a, 'limits>(
        &self,
        script: &'a Script,
        subject: &Subject,
        cost: u32,
        word: &str,
        limits: impl Iterator<Item = (&'limits LimitSettings, u32, u64)>,
    ) -> ScriptInvocation<'a> {
        let mut invocation = script.prepare_invoke();
        invocation.arg(cost).arg(word);
        for (limit, cost, full_at) in limits {
            invocation.key(subject.key_of(&self.prefix, limit));
            for word in words(limit, cost, full_at) {
                invocation.arg(word);
            }
        }
        invocation
    }
}

/// Whether a request wants to have something.
pub(super) fn takes(ask: &Ask<'_>) -> bool {
    ask.charge && ask.cost > 0
}
