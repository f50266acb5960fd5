//! Lanes that are compared with another one.

use resilient_benches::rounds::{Samples, Timed};
use resilient_benches::table::{Table, number};

use crate::lane::Lane;

/// A lane, and the name of the one it is compared with, which for that one is its own.
pub(crate) type Compared = (&'static str, Lane);

/// Measures lanes in turn. Times are in `unit`, of so many nanoseconds.
pub(crate) fn measure(
    title: &str,
    (unit, nanos): (&str, f64),
    rounds: usize,
    lanes: Vec<Compared>,
) -> (Samples, Table) {
    let (bases, lanes): (Vec<_>, Vec<_>) = lanes.into_iter().unzip();
    let samples = Samples::take(&lanes, rounds, bases.first().copied().unwrap_or_default());
    let title = format!("limits: {title}, {} rounds", samples.rounds());
    let mut table = Table::new(title, &["lane", unit, "x base", "spread", "base"]);
    for (lane, base) in lanes.iter().zip(bases) {
        let name = lane.name();
        let cells = [
            number(samples.nanos(name) / nanos, 2),
            number(samples.ratio(name, base), 2),
            format!("{:.0} %", samples.spread(name, base) * 100.0),
            base.to_owned(),
        ];
        table.row(name, cells);
    }
    (samples, table)
}
