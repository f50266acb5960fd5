//! The page with all results.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::process::Command;
use std::thread;

use crate::peers::Peers;
use crate::table::Table;
use crate::target::{self, Target};

/// What stands before the numbers.
const BEFORE: &str = include_str!("report/before.md");
/// What stands between the targets and all the rest.
const LEGEND: &str = include_str!("report/legend.md");

/// Everything that was measured in one run.
#[derive(Default)]
pub(crate) struct Report {
    /// The promises.
    pub targets: Vec<Target>,
    /// All other tables.
    pub tables: Vec<Table>,
}

impl Report {
    /// The page.
    pub(crate) fn text(&self, peers: Option<&Peers>) -> String {
        let mut text = String::from(BEFORE);
        let _ = writeln!(text, "\n{}", machine());
        let _ = writeln!(text, "{}\n{}", target::table(&self.targets), self.verdict());
        if let Some(peers) = peers {
            let _ = writeln!(text, "{}", contenders(peers));
        }
        text.push_str(LEGEND);
        for table in &self.tables {
            let _ = write!(text, "\n{table}");
        }
        text
    }

    fn verdict(&self) -> String {
        let broken: Vec<&Target> = self
            .targets
            .iter()
            .filter(|target| !target.kept())
            .collect();
        let all = self.targets.len();
        if broken.is_empty() {
            return format!("All {all} targets were kept in this run.\n");
        }
        let mut text = format!(
            "{} of {all} targets were not kept in this run:\n\n",
            broken.len()
        );
        for target in broken {
            let _ = writeln!(text, "- {target}");
        }
        text
    }
}

fn machine() -> Table {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| {
        let (field, model) = line.split_once(':')?;
        (field.trim() == "model name").then(|| model.trim().to_owned())
    });
    let cores = thread::available_parallelism().map_or(0, NonZero::get);
    let mut table = Table::new("Where", &["what", "which"]);
    let rows = [
        ("processor", model.unwrap_or_else(|| "unknown".to_owned())),
        ("cores", cores.to_string()),
        ("system", version("uname", "-srm")),
        ("compiler", version("rustc", "--version")),
        ("profile", "release, fat LTO, one codegen unit".to_owned()),
        ("valgrind", version("valgrind", "--version")),
    ];
    for (what, which) in rows {
        table.row(what, [which]);
    }
    table
}

fn version(program: &str, flag: &str) -> String {
    let output = Command::new(program).arg(flag).output();
    output.map_or_else(
        |_| "none".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

fn contenders(peers: &Peers) -> Table {
    let columns = ["contender", "packages", "has", "note"];
    let mut table = Table::new("Who", &columns);
    for contender in peers.contenders {
        let packages = contender.packages.iter().map(|name| {
            let version = locked(peers.lock, name).unwrap_or("?");
            format!("{name} {version}")
        });
        let packages: Vec<String> = packages.collect();
        let cells = [&packages.join(", "), contender.has, contender.note];
        table.row(contender.name, cells.map(ToOwned::to_owned));
    }
    table
}

/// The version of a package in a lock file.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, version) = lock.split_once(&name)?;
    version.split('"').next()
}
