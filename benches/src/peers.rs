//! What other libraries bring to the comparison. They are a package of their own, `benches/peers`,
//! so that nobody has to build them who does not want to see them.

use crate::crowd::Crowd;
use crate::lane::Lane;
use crate::table::Table;
use crate::workloads::Workload;

/// Other libraries, with the protections they have.
pub struct Peers {
    /// Their ways to make the calls of a workload.
    pub lanes: fn(Workload) -> Vec<Lane>,
    /// Their ways to make many calls at a time; made inside the runtime that makes the calls.
    pub crowds: fn() -> Vec<Crowd>,
    /// Further tables.
    pub tables: fn() -> Vec<Table>,
    /// The lanes with most of the protections that the full stack has.
    pub stacks: &'static [&'static str],
    /// Who they are.
    pub contenders: &'static [Contender],
    /// The lock file with their versions.
    pub lock: &'static str,
}

/// A library, or a few of the same family.
pub struct Contender {
    /// What lanes call it.
    pub name: &'static str,
    /// The packages used.
    pub packages: &'static [&'static str],
    /// Which protections it has.
    pub has: &'static str,
    /// What else one has to know to read its numbers.
    pub note: &'static str,
}
