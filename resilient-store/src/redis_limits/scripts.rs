//! The scripts, each one atomic step on the server.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::kind::Kind;
use super::lines::{Task, text};
use redis::Script;

/// The scripts that were needed so far: one for each task and each row of kinds. The server knows each
/// by its hash, and is told its text when it does not.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    decide: Family,
    reserve: Family,
    refund: Family,
}

/// The scripts of a task.
type Family = RwLock<HashMap<Vec<Kind>, Arc<Script>>>;

impl Scripts {
    pub(super) fn of(&self, task: Task, kinds: &[Kind]) -> Arc<Script> {
        let family = match task {
            Task::Decide => &self.decide,
            Task::Reserve => &self.reserve,
            Task::Refund => &self.refund,
        };
        let known = family.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = known.get(kinds) {
            return script.clone();
        }
        drop(known);
        let script = Arc::new(Script::new(&text(task, kinds)));
        let mut known = family.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(kinds.to_vec()).or_insert(script).clone()
    }
}
