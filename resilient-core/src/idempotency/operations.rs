//! What operators do with records.

use super::ledger::Ledger;
use super::{Backlog, Fenced, Filter, Finish, Purged, Record, RecordId, Resolution, StoreError};

impl Ledger {
    /// What is known about a key, without its answer's body being opened.
    pub async fn show(&self, id: &RecordId) -> Result<Option<Record>, StoreError> {
        self.ask(self.store().find(id)).await
    }

    /// The records that match, without their answers.
    pub async fn list(&self, filter: &Filter) -> Result<Vec<Record>, StoreError> {
        self.ask(self.store().list(filter)).await
    }

    /// What is held, counted: how many are uncertain, how old the oldest running one is, how much
    /// there is to purge.
    pub async fn backlog(&self) -> Result<Backlog, StoreError> {
        self.ask(self.store().backlog()).await
    }

    /// Deletes up to `batch` records whose time is over. To be repeated until
    /// [`Purged::is_done`]; many processes may do so at once.
    pub async fn purge(&self, batch: u32) -> Result<Purged, StoreError> {
        self.ask(self.store().purge(batch)).await
    }

    /// Settles an uncertain record, as `operator` found out. Answers whether it was still uncertain.
    ///
    /// Written down as an event of level `INFO` in the target `resilient`.
    pub async fn resolve(
        &self,
        id: &RecordId,
        resolution: Resolution,
        operator: &str,
    ) -> Result<bool, StoreError> {
        let Some(record) = self.show(id).await? else {
            return Ok(false);
        };
        let settled = self.settle(&record, resolution).await? == Fenced::Done;
        tracing::info!(target: "resilient", record = %id, operator, settled, "idempotency.resolved");
        Ok(settled)
    }

    /// Deletes a record whatever its state, so that its key counts as new: a run that is at work
    /// under it will find its lease lost. Answers whether there was one.
    ///
    /// Written down as an event of level `INFO` in the target `resilient`.
    pub async fn remove(&self, id: &RecordId, operator: &str) -> Result<bool, StoreError> {
        let removed = self.ask(self.store().remove(id)).await?;
        tracing::info!(target: "resilient", record = %id, operator, removed, "idempotency.removed");
        Ok(removed)
    }

    pub(super) async fn settle(
        &self,
        record: &Record,
        resolution: Resolution,
    ) -> Result<Fenced, StoreError> {
        let finish = match resolution {
            Resolution::Unknown => return Ok(Fenced::Lost),
            Resolution::NotExecuted => None,
            Resolution::Done { resource } => Some(Finish::BodyDropped { resource }),
            Resolution::Completed { answer, resource } => {
                Some(self.finish(&record.id, answer, resource))
            }
        };
        let step = self
            .store()
            .settle(&record.id, record.fence, finish.as_ref());
        self.ask(step).await
    }
}
