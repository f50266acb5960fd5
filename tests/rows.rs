//! Which function shapes, wrong uses and reported defects of other libraries have a test here.
//!
//! The tables are in `tests/rows/`: number, what it is, and for a row that does not apply the reason.
//! A test names its rows in a comment: `// shape 12; mistake 31`. Below a mistake of `tests/ui` it
//! is the last line, so that the places in the messages stay.
//!
//! `cargo test --test rows -- --nocapture` lists the files of each row.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

type Files = BTreeMap<String, Vec<String>>;

/// The rows of one kind that are named in the sources below `folder`, with their files.
fn named(kind: &str, folder: &Path, found: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(kind, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            let comments = source
                .lines()
                .filter_map(|line| line.trim().strip_prefix("// "));
            let rows = comments
                .flat_map(|comment| comment.split("; "))
                .filter_map(|rows| rows.strip_prefix(kind)?.strip_prefix(' '))
                .flat_map(|rows| rows.split(", "));
            for row in rows {
                let files = found.entry(row.to_owned()).or_default();
                files.push(path.display().to_string());
            }
        }
    }
}

/// Lists the rows of `table`. What is missing, unknown or out of date is returned.
fn wrong(kind: &str, table: &str) -> Vec<String> {
    let mut found = Files::new();
    named(kind, Path::new("tests"), &mut found);
    let mut wrong = Vec::new();
    for line in table.lines() {
        let mut cells = line.split(" | ");
        let (row, what, reason) = (cells.next().unwrap(), cells.next().unwrap(), cells.next());
        match (found.remove(row), reason) {
            (Some(files), None) => println!("{kind} {row}, {what}: {}", files.join(", ")),
            (None, Some(reason)) => println!("{kind} {row}, {what}: does not apply, {reason}"),
            (None, None) => wrong.push(format!("{kind} {row}, {what}: no test names it")),
            (Some(files), Some(_)) => wrong.push(format!("{kind} {row} applies now: {files:?}")),
        }
    }
    wrong.extend(
        found
            .into_iter()
            .map(|row| format!("{kind} is unknown: {row:?}")),
    );
    wrong
}

#[test]
fn every_row_has_a_test_or_a_reason() {
    let mut all = wrong("shape", include_str!("rows/shapes.txt"));
    all.extend(wrong("mistake", include_str!("rows/mistakes.txt")));
    all.extend(wrong("case", include_str!("rows/cases.txt")));
    all.extend(wrong("adaptive", include_str!("rows/adaptive.txt")));
    assert!(all.is_empty(), "{all:#?}");
}
