//! A call under an idempotency key: the claim around all of its attempts.
//!
//! | step | where |
//! |---|---|
//! | what is asked for: key, scope, fingerprint | `asked` |
//! | the right to run, held around the attempts and ended with what they came to | `running` |
//! | what an outcome leaves behind | `left` |
//! | a transaction, lent for a step | `lent` |
//! | values as they are kept, and as they come back | `keeping` |

mod asked;
mod keeping;
mod left;
mod lent;
mod running;

pub use asked::{
    Asked, Begins, FingerprintData, Found, ScopeText, StoreKeyText, key_of, scope_of, shared,
};
pub use keeping::{Codec, Keeping, KeptAnswer, KeptFailure, kept, kept_failure};
pub use left::{Left, left, left_in};
pub use lent::{Joins, Lent, lent};
pub use running::{Driven, Known, Running, ended, ended_in, repeated};

use std::sync::Arc;

use super::phase::Phase;
use super::{Call, PlanRef};
use crate::idempotency::{InvalidRules, Ledger, Refusal};
use crate::rejection::Rejection;
use crate::site::Counted;
use crate::telemetry;

impl Call {
    /// Where the key of this call is claimed. Nothing for a call that runs bare, or does not run
    /// because a name was not found.
    fn ledger(&self) -> Option<Arc<Result<Ledger, InvalidRules>>> {
        self.plan.get().and_then(|plan| plan.ledger.clone())
    }

    fn operation(&self) -> &str {
        self.plan.get().map_or("", |plan| &plan.name)
    }

    /// Whether no attempt was made: every one was refused before it began.
    fn made_no_attempt(&self) -> bool {
        !matches!(self.plan, PlanRef::Bare) && self.frame.attempt == 0
    }

    /// The call ends with what is known under its key, and not with what its attempts came to. True
    /// if it made none.
    fn ends_otherwise(&mut self) -> bool {
        let fresh = matches!(self.phase, Phase::New | Phase::Fresh);
        if fresh {
            self.frame.attempt = 0;
        } else if !matches!(self.phase, Phase::Done) {
            self.abandon();
        }
        self.phase = Phase::Done;
        fresh
    }

    /// Tells that it was a repeat, answered by what is kept.
    fn replayed(&mut self, failed: bool) {
        if !self.ends_otherwise() {
            return;
        }
        if let Some(plan) = self.plan.get() {
            if failed {
                plan.counters.count(Counted::Failure);
            } else {
                plan.counters.success();
            }
        }
        self.tell_end("replayed");
    }

    /// Tells why it has no outcome of its own.
    fn refused(&mut self, refusal: Refusal) -> Rejection {
        let rejection = Rejection::Idempotency(Box::new(refusal));
        if self.ends_otherwise() {
            self.count(Counted::Rejection);
            self.tell_end(rejection.kind());
        }
        self.inside_span(|| telemetry::call_rejected(&rejection));
        rejection
    }
}
