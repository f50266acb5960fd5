//! What is told about every mistake. One folder per rule, one mistake per file.
//!
//! The texts are those of the toolchain that the project is tested with;
//! `TRYBUILD=overwrite cargo test --test ui` accepts new ones.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
