//! Requests that run once, however often they are sent.
//!
//! A client that retries is only safe if the server recognises the repeat. The client sends a key
//! with its request, the same with each repeat; here, the key is claimed before the request runs,
//! and the answer is kept under it.
//!
//! - A [`Ledger`] is a [`Store`] with rules ([`Idempotency`]). [`Ledger::begin`] asks for the right
//!   to run: it is given to one, with a [`Fence`] that no other owner ever has, and with a lease
//!   that lapses if the owner dies.
//! - [`Run::drive`] runs the request and renews the lease meanwhile; [`Run::complete`] stores the
//!   answer, and from then on every repeat is given it.
//! - What happens to a run of which nobody knows how it ended depends on its [`Effects`], which
//!   must be said: it may run again, or it is [`State::Uncertain`] until someone finds out.
//!
//! Nothing outside the store can be done *exactly* once: between an effect and the line that says
//! so, a process can die. What can be had is one of three: effects inside the database of the
//! store, committed together with the record (transaction mode, in the store's crate); effects
//! under a key of their own, which whoever does them recognises ([`Effects::Keyed`]); or a record
//! that says that nobody knows ([`Effects::Unkeyed`]).

mod answer;
mod asking;
mod counts;
mod digest;
mod effects;
mod execution;
mod fingerprint;
mod id;
mod judge;
mod key;
mod ledger;
mod memory;
mod operations;
mod record;
mod refusal;
mod resolve;
mod run;
mod scope;
mod seal;
mod settings;
mod store;
mod store_error;
mod transaction;

pub use answer::{Answer, Resource};
pub use counts::Counts;
pub use effects::Effects;
pub use execution::{Execution, current};
pub(crate) use execution::{Kept, Within};
pub use fingerprint::Fingerprint;
pub use id::RecordId;
pub use key::{InvalidKey, Key};
pub(crate) use ledger::Opened;
pub use ledger::{Begun, InvalidRules, Ledger, Request};
pub use memory::MemoryStore;
pub use record::{Fence, Record, State};
pub use refusal::{Lost, Refusal};
pub use resolve::{Resolution, Resolve};
pub use run::{Ended, Run};
pub use scope::Scope;
pub use seal::Seal;
pub use settings::{Idempotency, IdempotencySettings};
pub use store::{Backlog, Claim, Claimed, Fenced, Filter, Finish, Purged, Store, StoreFuture, Won};
pub use store_error::StoreError;
pub use transaction::{JoinTransaction, Joined};
