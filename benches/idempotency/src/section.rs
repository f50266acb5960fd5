//! Lanes that are compared with what they cannot do without.

use resilient_benches::rounds::Samples;
use resilient_benches::table::{Table, number};

use crate::lane::Lane;

const COLUMNS: [&str; 6] = ["lane", "us", "over base", "x base", "spread", "base"];

/// Measures lanes in turn. Each has the name of another one that it is compared with, which for the
/// base itself is its own.
pub(crate) fn measure(
    title: &str,
    rounds: usize,
    lanes: Vec<(&'static str, Lane)>,
) -> (Samples, Table) {
    let (bases, lanes): (Vec<_>, Vec<_>) = lanes.into_iter().unzip();
    let samples = Samples::take(&lanes, rounds, bases.first().copied().unwrap_or_default());
    let title = format!("idempotency: {title}, {} rounds", samples.rounds());
    let mut table = Table::new(title, &COLUMNS);
    for (lane, base) in lanes.iter().zip(bases) {
        let name = resilient_benches::rounds::Timed::name(lane);
        let cells = [
            number(samples.nanos(name) / 1e3, 2),
            number(samples.over(name, base) / 1e3, 2),
            number(samples.ratio(name, base), 2),
            format!("{:.0} %", samples.spread(name, base) * 100.0),
            base.to_owned(),
        ];
        table.row(name, cells);
    }
    (samples, table)
}

/// In place of a table: what could not be measured.
pub(crate) fn left_out(title: &str, missing: &str) -> Table {
    let mut table = Table::new(format!("idempotency: {title}"), &["left out"]);
    table.row(&format!("{missing} is not installed"), []);
    table
}
