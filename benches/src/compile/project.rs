//! The throw-away crates.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use std::{fs, io};

use super::children;
use super::variant::Variant;

/// A workspace with a crate for every variant.
pub(crate) struct Project {
    directory: PathBuf,
}

impl Project {
    /// Writes it to `directory` and compiles what its crates depend on.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()?;
        let project = Project {
            directory: directory.to_owned(),
        };
        fs::create_dir_all(directory)?;
        let names = Variant::ALL.map(Variant::name);
        let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n");
        fs::write(directory.join("Cargo.toml"), manifest)?;
        // The versions that everything else here was tested with.
        fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        for variant in Variant::ALL {
            let home = directory.join(variant.name());
            fs::create_dir_all(home.join("src"))?;
            let manifest = variant.manifest(&root.to_string_lossy());
            fs::write(home.join("Cargo.toml"), manifest)?;
            project.write(variant, 1)?;
        }
        project.cargo(&["check", "--workspace"])?;
        Ok(project)
    }

    /// Gives a crate so many functions.
    pub(crate) fn write(&self, variant: Variant, functions: u32) -> io::Result<()> {
        let file = self.directory.join(variant.name()).join("src/main.rs");
        fs::write(file, variant.program(functions))
    }

    /// The processor time that `cargo check` takes for the crate alone.
    pub(crate) fn check(&self, variant: Variant) -> io::Result<Duration> {
        let before = children::time()?;
        self.cargo(&["check", "--package", &package(variant)])?;
        Ok(children::time()?.saturating_sub(before))
    }

    /// Bytes of code in the crate's optimised program.
    pub(crate) fn code(&self, variant: Variant) -> io::Result<u64> {
        self.cargo(&["build", "--release", "--package", &package(variant)])?;
        let program = self.directory.join("target/release").join(package(variant));
        let output = run(Command::new("size").arg("-A").arg(program))?;
        let sections = String::from_utf8_lossy(&output.stdout);
        let text = sections.lines().find_map(|line| {
            let size = line.strip_prefix(".text")?;
            size.split_whitespace().next()?.parse().ok()
        });
        text.ok_or_else(|| io::Error::other("`size` told no size of .text"))
    }

    fn cargo(&self, arguments: &[&str]) -> io::Result<Output> {
        run(Command::new("cargo")
            .args(arguments)
            .current_dir(&self.directory)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TARGET_DIR", self.directory.join("target")))
    }
}

fn package(variant: Variant) -> String {
    format!("{}-functions", variant.name())
}

/// Fails with what the command had to say.
fn run(command: &mut Command) -> io::Result<Output> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(io::Error::other(said))
}
