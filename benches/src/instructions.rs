//! Instructions per call: what no neighbour can change. Needs valgrind.

use std::path::Path;
use std::process::Command;
use std::{env, io};

use crate::lane::Lane;
use crate::peers::Peers;
use crate::table::{Table, number};
use crate::workloads::Workload;

/// The difference between two runs is not the program's start.
const FEW: u32 = 200;
const MANY: u32 = 1200;

/// Counts those of every lane that does the same each time; no table without valgrind.
pub(crate) fn measure(peers: Option<&Peers>) -> io::Result<Option<Table>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("no valgrind, so instructions are not counted");
        return Ok(None);
    }
    let program = env::current_exe()?;
    let workloads = [Workload::Ready, Workload::Pending, Workload::Rejected].map(|workload| {
        let lanes = workload.lanes(peers).into_iter().filter(Lane::same_path);
        let names: Vec<_> = lanes.map(|lane| lane.name()).collect();
        (workload.name(), names)
    });
    let mut names = Vec::new();
    for name in workloads.iter().flat_map(|(_, names)| names) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    let columns = ["lane", "ready", "pending", "rejected"];
    let mut table = Table::new("instructions per call", &columns);
    for name in names {
        let mut cells = Vec::new();
        for (workload, names) in &workloads {
            let counted = if names.contains(&name) {
                per_call(&program, &format!("{workload}/{name}"))?
            } else {
                f64::NAN
            };
            cells.push(number(counted, 0));
        }
        table.row(name, cells);
    }
    Ok(Some(table))
}

fn per_call(program: &Path, place: &str) -> io::Result<f64> {
    let more = count(program, place, MANY)? - count(program, place, FEW)?;
    Ok(more / f64::from(MANY - FEW))
}

fn count(program: &Path, place: &str, calls: u32) -> io::Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(program)
        .args(["repeat", place, &calls.to_string()])
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(|line| {
        // `==1234== I   refs:      5,678`
        let (_, count) = line.split_once("refs:")?;
        count.trim().replace(',', "").parse().ok()
    });
    counted.ok_or_else(|| io::Error::other(format!("`{place}` under valgrind: {said}")))
}
