//! What an annotation costs: time and allocations per call, size of its future, compile time and
//! code, beside the same protections written by hand and, if asked for, those of other libraries.
//!
//! All lanes of a workload run side by side in one process, in turns of a fraction of a
//! millisecond and in an order that changes every round; what is told are medians over the
//! rounds, of the numbers and of their differences and ratios within a round. Every call's outcome
//! is checked.

#![expect(
    clippy::cast_precision_loss,
    reason = "numbers to look at, far below 2^52"
)]

mod annotated;
pub mod body;
mod compile;
pub mod crowd;
pub mod failure;
mod handwritten;
mod instructions;
pub mod lane;
mod of_program;
pub mod one_thread;
mod own_time;
pub mod peers;
mod report;
pub mod rounds;
mod sizes;
mod speed;
pub mod table;
pub mod target;
pub mod threads;
pub mod wire;
pub mod workloads;

use std::error::Error;
use std::path::Path;
use std::{env, fs, io};

use peers::Peers;
use report::Report;
use table::Table;
use workloads::Workload;

/// What can be measured, in this order.
const SECTIONS: [&str; 8] = [
    "speed",
    "threads",
    "crowd",
    "idempotency",
    "limits",
    "instructions",
    "sizes",
    "compile",
];

/// Does what the program's arguments say: a few sections, one lane for a profiler, or all sections
/// and a report.
///
/// # Errors
///
/// For arguments that name nothing, and where a section could not be measured.
pub fn run(peers: Option<&Peers>) -> Result<(), Box<dyn Error>> {
    annotated::register()?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [command, place, calls] if command == "repeat" => repeat(peers, place, calls.parse()?),
        [command, file] if command == "report" => report(peers, Path::new(file)),
        sections => {
            known(sections)?;
            let wanted = |name: &str| sections.is_empty() || sections.iter().any(|s| s == name);
            measure(peers, wanted).map(drop)
        }
    }
}

fn known(sections: &[String]) -> Result<(), Box<dyn Error>> {
    let mut unknown = sections
        .iter()
        .filter(|name| !SECTIONS.contains(&name.as_str()));
    unknown.next().map_or(Ok(()), |name| {
        Err(format!("no section `{name}`; there are {}", SECTIONS.join(", ")).into())
    })
}

/// Measures the sections that are wanted; prints their tables and keeps them as files.
fn measure(peers: Option<&Peers>, wanted: impl Fn(&str) -> bool) -> Result<Report, Box<dyn Error>> {
    let mut report = Report::default();
    let targets = &mut report.targets;
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    for section in SECTIONS.into_iter().filter(|name| wanted(name)) {
        let tables = match section {
            "speed" => {
                let mut tables = speed::measure(peers, targets);
                tables.extend(peers.map(|peers| (peers.tables)()).into_iter().flatten());
                tables
            }
            "threads" => vec![threads::measure(peers, targets)],
            "crowd" => vec![crowd::measure(peers)?],
            "idempotency" | "limits" => of_program::measure(section, targets)?,
            "instructions" => instructions::measure(peers)?.into_iter().collect(),
            "sizes" => vec![sizes::measure(targets)],
            _ => vec![compile::measure(&output.join("compile"), targets)?],
        };
        publish(&output, section, &tables)?;
        report.tables.extend(tables);
    }
    if !report.targets.is_empty() {
        publish(&output, "targets", &[target::table(&report.targets)])?;
    }
    Ok(report)
}

/// Prints the tables and keeps them as a file.
fn publish(directory: &Path, section: &str, tables: &[Table]) -> io::Result<()> {
    let text: Vec<String> = tables.iter().map(ToString::to_string).collect();
    let text = text.join("\n") + "\n";
    print!("{text}");
    fs::create_dir_all(directory)?;
    fs::write(directory.join(section).with_extension("md"), text)
}

/// Measures everything and writes it down.
fn report(peers: Option<&Peers>, file: &Path) -> Result<(), Box<dyn Error>> {
    let report = measure(peers, |_| true)?;
    Ok(fs::write(file, report.text(peers))?)
}

/// Runs one lane, named `workload/lane`, for a profiler.
fn repeat(peers: Option<&Peers>, place: &str, calls: u32) -> Result<(), Box<dyn Error>> {
    let named = place.split_once('/').and_then(|(workload, lane)| {
        let mut workloads = Workload::ALL.into_iter();
        let workload = workloads.find(|other| other.name() == workload)?;
        let mut lanes = workload.lanes(peers).into_iter();
        lanes.find(|other| other.name() == lane)
    });
    let lane = named.ok_or_else(|| format!("no lane `{place}`"))?;
    lane.run(calls);
    Ok(())
}
