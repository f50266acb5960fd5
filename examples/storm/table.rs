//! The figures as tables of Markdown. A cell holds one figure for each fleet, in their order.

use std::fmt::Write as _;

use super::figures::Figures;
use super::fleet::FLEETS;
use super::scenario::Scenario;
use super::strategy::Strategy;

/// What one strategy came to in one scenario, with each fleet.
pub(crate) struct Row {
    pub(crate) strategy: &'static Strategy,
    pub(crate) figures: Vec<Figures>,
}

/// A scenario and what every strategy came to in it.
pub(crate) struct Chapter {
    pub(crate) scenario: &'static Scenario,
    pub(crate) rows: Vec<Row>,
}

type Column = (&'static str, fn(&Figures) -> String);

const COLUMNS: [Column; 8] = [
    ("success during, %", |of| percent(of.during)),
    ("success after, %", |of| percent(of.after)),
    ("requests per call", |of| format!("{:.2}", of.amplification)),
    ("worst 10 s", |of| format!("{:.2}", of.worst_ten)),
    ("worst 1 s", |of| format!("{:.2}", of.worst)),
    ("recovery, s", |of| recovery(of.recovery)),
    ("p99, s", |of| format!("{:.1}", of.p99.as_secs_f64())),
    ("openings", |of| of.openings.to_string()),
];

pub(crate) fn of(chapter: &Chapter) -> String {
    let mut table = head("strategy", COLUMNS.map(|(title, _)| title));
    for row in &chapter.rows {
        line(
            &mut table,
            row.strategy.name,
            &COLUMNS.map(|(_, cell)| cells(&row.figures, cell)),
        );
    }
    table
}

/// How far a strategy is from the best one of each scenario.
pub(crate) fn beside_the_best(chapters: &[Chapter], name: &str) -> String {
    let titles = [
        "during, %",
        "the best",
        "after, %",
        "the best",
        "worst 10 s",
        "recovery, s",
        "wrong openings",
    ];
    let mut table = head("scenario", titles);
    for Chapter { scenario, rows } in chapters {
        let Some(own) = rows.iter().find(|row| row.strategy.name == name) else {
            continue;
        };
        let openings = |of: &Figures| {
            if scenario.answers {
                of.openings.to_string()
            } else {
                String::from("-")
            }
        };
        let columns = [
            cells(&own.figures, |of| percent(of.during)),
            best(rows, |of| of.during),
            cells(&own.figures, |of| percent(of.after)),
            best(rows, |of| of.after),
            cells(&own.figures, |of| format!("{:.2}", of.worst_ten)),
            cells(&own.figures, |of| recovery(of.recovery)),
            cells(&own.figures, openings),
        ];
        line(&mut table, scenario.name, &columns);
    }
    table
}

fn best(rows: &[Row], of: fn(&Figures) -> f64) -> String {
    let best = |fleet: usize| {
        let shares = rows.iter().map(|row| of(&row.figures[fleet]));
        percent(shares.fold(0.0, f64::max))
    };
    let best: Vec<_> = (0..FLEETS.len()).map(best).collect();
    best.join(" / ")
}

fn head<const N: usize>(first: &str, titles: [&str; N]) -> String {
    let mut table = String::new();
    line(&mut table, first, &titles.map(str::to_owned));
    line(&mut table, "---", &[(); N].map(|()| String::from("---")));
    table
}

fn line<const N: usize>(table: &mut String, first: &str, columns: &[String; N]) {
    // Writing into a string cannot fail.
    let _ = writeln!(table, "| {first} | {} |", columns.join(" | "));
}

fn cells(figures: &[Figures], cell: impl Fn(&Figures) -> String) -> String {
    let cells: Vec<_> = figures.iter().map(cell).collect();
    cells.join(" / ")
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn recovery(seconds: Option<usize>) -> String {
    seconds.map_or_else(|| String::from("never"), |seconds| seconds.to_string())
}
