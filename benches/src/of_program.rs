//! Sections that are measured by a program of their own: what it links would show in all others.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::table::Table;
use crate::target::Target;
use crate::wire;

/// Builds the program in the folder of that name and lets it measure.
pub(crate) fn measure(section: &str, targets: &mut Vec<Target>) -> io::Result<Vec<Table>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(section);
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--profile", "bench", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{section}: {}", output.status)));
    }
    let (tables, told) = wire::read(&String::from_utf8_lossy(&output.stdout));
    targets.extend(told);
    Ok(tables)
}
