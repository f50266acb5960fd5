//! What the numbers have to be.

use crate::table::Table;

/// One promise and what was measured.
pub(crate) struct Target {
    what: &'static str,
    measured: f64,
    bound: Bound,
}

/// Which way the promise goes.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    /// More breaks it.
    AtMost(f64),
    /// Less breaks it.
    AtLeast(f64),
}

impl Target {
    /// `what` must keep within `bound`.
    pub(crate) fn new(what: &'static str, measured: f64, bound: Bound) -> Self {
        Target {
            what,
            measured,
            bound,
        }
    }

    fn verdict(&self) -> &'static str {
        let kept = match self.bound {
            Bound::AtMost(most) => self.measured <= most,
            Bound::AtLeast(least) => self.measured >= least,
        };
        if kept { "yes" } else { "NO" }
    }
}

/// All promises in one table.
pub(crate) fn table(targets: &[Target]) -> Table {
    let mut table = Table::new("Targets", &["target", "measured", "bound", "kept"]);
    for target in targets {
        let bound = match target.bound {
            Bound::AtMost(most) => format!("at most {most}"),
            Bound::AtLeast(least) => format!("at least {least}"),
        };
        let measured = format!("{:.2}", target.measured);
        table.row(target.what, [measured, bound, target.verdict().to_owned()]);
    }
    table
}
