//! What is told about every mistake. One folder per rule, one mistake per file.
//!
//! The texts are those of the toolchain that the project is tested with, since a compiler's own
//! part of a message changes between versions. `TRYBUILD=overwrite cargo test --test ui` accepts
//! new ones.

#![allow(clippy::expect_used, missing_docs)]

use std::process::Command;

/// The toolchain of `.github/workflows/ci.yml`; `scripts/test` says what is left out with others.
const PINNED: &str = "rustc 1.95.";

#[test]
fn mistakes() {
    let version = Command::new("rustc").arg("--version").output();
    let version = version.expect("cargo found a compiler").stdout;
    if !version.starts_with(PINNED.as_bytes()) {
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
