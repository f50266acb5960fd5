//! A storm to watch: hundreds of simulated processes call one service through this library while
//! things go wrong, with settings from no retry at all to the defaults.
//!
//! ```text
//! cargo run --release --example storm          prints the tables
//! scripts/storm                                also writes them and the plots into docs/
//! ```
//!
//! Everything runs on tokio's paused clock with seeded chance, so each run measures the same.

#[path = "storm/chance.rs"]
mod chance;
#[path = "storm/failure.rs"]
mod failure;
#[path = "storm/figures.rs"]
mod figures;
#[path = "storm/fleet.rs"]
mod fleet;
#[path = "storm/page.rs"]
mod page;
#[path = "storm/plot.rs"]
mod plot;
#[path = "storm/record.rs"]
mod record;
#[path = "storm/scenario.rs"]
mod scenario;
#[path = "storm/service.rs"]
mod service;
#[path = "storm/strategy.rs"]
mod strategy;
#[path = "storm/table.rs"]
mod table;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use fleet::FLEETS;
use scenario::{SCENARIOS, Scenario};
use strategy::{DEFAULTS, STRATEGIES};
use table::{Chapter, Row};

/// The fleet that is drawn.
const DRAWN: usize = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let writes = std::env::args().any(|argument| argument == "write");
    let mut chapters = Vec::new();
    for scenario in &SCENARIOS {
        let chapter = play(scenario)?;
        println!("{}\n\n{}", scenario.name, table::of(&chapter));
        chapters.push(chapter);
    }
    let beside_the_best = table::beside_the_best(&chapters, DEFAULTS.name);
    println!("{}, beside the best\n\n{beside_the_best}", DEFAULTS.name);
    if writes {
        write(&chapters, &beside_the_best)?;
    }
    Ok(())
}

fn play(scenario: &'static Scenario) -> Result<Chapter, Box<dyn Error>> {
    let mut rows = Vec::new();
    for strategy in &STRATEGIES {
        let mut figures = Vec::new();
        for fleet in FLEETS {
            figures.push(fleet.play(scenario, strategy)?);
        }
        rows.push(Row { strategy, figures });
    }
    Ok(Chapter { scenario, rows })
}

fn write(chapters: &[Chapter], beside_the_best: &str) -> Result<(), Box<dyn Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut all = String::new();
    for chapter in chapters {
        let Scenario { name, file, .. } = *chapter.scenario;
        plot::draw(chapter, DRAWN, &docs.join(format!("storm/{file}.svg")))?;
        writeln!(
            all,
            "### {name}\n\n![{name}](storm/{file}.svg)\n\n{}",
            table::of(chapter)
        )?;
    }
    let page = docs.join("storm.md");
    page::put(&page, "scenarios", &all)?;
    page::put(&page, "defaults", beside_the_best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleet::Fleet;
    use scenario::METASTABLE;
    use strategy::IMMEDIATE;

    /// Keeps whole workers as busy as the large fleets do.
    const SMALL: Fleet = Fleet {
        processes: 16,
        rate: 7.5,
    };

    #[test]
    fn a_storm_is_the_same_every_time() -> Result<(), Box<dyn Error>> {
        let first = SMALL.play(&METASTABLE, &DEFAULTS)?;
        assert_eq!(first, SMALL.play(&METASTABLE, &DEFAULTS)?);
        assert!(first.seconds.iter().any(|second| second.openings > 0));
        Ok(())
    }

    #[test]
    fn naive_retries_keep_an_overload_alive_and_the_defaults_do_not() -> Result<(), Box<dyn Error>>
    {
        let naive = SMALL.play(&METASTABLE, &IMMEDIATE)?;
        assert_eq!(naive.recovery, None);
        assert!(naive.after < 0.1, "{naive:?}");
        let defaults = SMALL.play(&METASTABLE, &DEFAULTS)?;
        assert!(defaults.recovery.is_some_and(|seconds| seconds <= 10));
        assert!(defaults.after > 0.8, "{defaults:?}");
        Ok(())
    }
}
