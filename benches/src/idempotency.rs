//! What it costs that a request runs once, measured by a program of its own: what it links would show
//! in all other sections.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::table::Table;
use crate::target::Target;
use crate::wire;

/// Builds that program and lets it measure.
pub(crate) fn measure(targets: &mut Vec<Target>) -> io::Result<Vec<Table>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("idempotency/Cargo.toml");
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--profile", "bench", "--manifest-path"])
        .arg(manifest)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("idempotency: {}", output.status)));
    }
    let (tables, told) = wire::read(&String::from_utf8_lossy(&output.stdout));
    targets.extend(told);
    Ok(tables)
}
