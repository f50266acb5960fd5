//! What the numbers have to be.

use std::fmt;

use crate::table::Table;

/// One promise and what was measured.
pub struct Target {
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) bound: Bound,
}

/// Which way the promise goes.
#[derive(Clone, Copy)]
pub enum Bound {
    /// More breaks it.
    AtMost(f64),
    /// Less breaks it.
    AtLeast(f64),
}

impl Target {
    /// `what` must keep within `bound`.
    pub fn new(what: impl Into<String>, measured: f64, bound: Bound) -> Self {
        Target {
            what: what.into(),
            measured,
            bound,
        }
    }

    /// Whether it does.
    pub(crate) fn kept(&self) -> bool {
        match self.bound {
            Bound::AtMost(most) => self.measured <= most,
            Bound::AtLeast(least) => self.measured >= least,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.2}, {}", self.what, self.measured, self.bound)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AtMost(most) => write!(f, "at most {most}"),
            Bound::AtLeast(least) => write!(f, "at least {least}"),
        }
    }
}

/// All promises in one table.
pub(crate) fn table(targets: &[Target]) -> Table {
    let mut table = Table::new("Targets", &["target", "measured", "bound", "kept"]);
    for target in targets {
        let measured = format!("{:.2}", target.measured);
        let verdict = if target.kept() { "yes" } else { "NO" };
        table.row(
            &target.what,
            [measured, target.bound.to_string(), verdict.to_owned()],
        );
    }
    table
}
