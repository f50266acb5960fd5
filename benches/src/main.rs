//! What an annotation costs: time and allocations per call, size of its future, compile time and
//! code.
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
mod body;
mod compile;
mod failure;
mod handwritten;
mod lane;
mod own_time;
mod rounds;
mod sizes;
mod speed;
mod table;
mod target;
mod threads;
mod workloads;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use table::Table;

/// What can be measured, in this order.
const SECTIONS: [&str; 4] = ["speed", "threads", "sizes", "compile"];

fn main() -> Result<(), Box<dyn Error>> {
    annotated::register()?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [command, place, calls] = arguments.as_slice()
        && command == "repeat"
    {
        return repeat(place, calls.parse()?);
    }
    if let Some(unknown) = arguments
        .iter()
        .find(|name| !SECTIONS.contains(&name.as_str()))
    {
        return Err(format!("no section `{unknown}`; there are {}", SECTIONS.join(", ")).into());
    }
    let wanted =
        |name: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == name);
    let mut targets = Vec::new();
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    for section in SECTIONS.into_iter().filter(|name| wanted(name)) {
        let tables = match section {
            "speed" => speed::measure(&mut targets),
            "threads" => vec![threads::measure(&mut targets)],
            "sizes" => vec![sizes::measure(&mut targets)],
            _ => vec![compile::measure(&output.join("compile"), &mut targets)?],
        };
        publish(&output, section, &tables)?;
    }
    publish(&output, "targets", &[target::table(&targets)])?;
    Ok(())
}

/// Prints the tables and keeps them as a file.
fn publish(directory: &Path, section: &str, tables: &[Table]) -> std::io::Result<()> {
    let text: Vec<String> = tables.iter().map(ToString::to_string).collect();
    let text = text.join("\n") + "\n";
    print!("{text}");
    fs::create_dir_all(directory)?;
    fs::write(directory.join(section).with_extension("md"), text)
}

/// Runs one lane, named `workload/lane`, for a profiler.
fn repeat(place: &str, calls: u32) -> Result<(), Box<dyn Error>> {
    for workload in workloads::all() {
        for lane in workload.lanes {
            if format!("{}/{}", workload.name, lane.name()) == place {
                lane.run(calls);
                return Ok(());
            }
        }
    }
    Err(format!("no lane `{place}`").into())
}
