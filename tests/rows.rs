//! Which function shapes, wrong uses, behaviours and reported defects of other libraries have a test
//! here.
//!
//! The tables are in `tests/rows/`: number, what it is, and for a row that does not apply the reason.
//! A test names its rows in one of three ways:
//!
//! - in the `id` of a row of its own table: `id: "RT-01 on one thread"`. A `why` in the same row says
//!   that we do otherwise than where the row is from, and for what reason.
//! - in a comment: `// shape 12; mistake 31`, or, with the reason to do otherwise, `// case CF-15: ..`.
//!   Below a mistake of `tests/ui` it is the last line, so that the places in the messages stay.
//! - in its own name, those of the server's side: `fn i17_q01_of_fifty_at_once_one_runs`.
//!
//! `cargo test --test rows -- --nocapture` lists what became of each row.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The word for the rows of a table in comments, and the table.
const TABLES: &[(&str, &str)] = &[
    ("shape", include_str!("rows/shapes.txt")),
    ("mistake", include_str!("rows/mistakes.txt")),
    ("case", include_str!("rows/cases.txt")),
    ("case", include_str!("rows/retry.txt")),
    ("case", include_str!("rows/delays.txt")),
    ("case", include_str!("rows/timeout.txt")),
    ("case", include_str!("rows/breaker.txt")),
    ("case", include_str!("rows/bulkhead.txt")),
    ("case", include_str!("rows/fallback.txt")),
    ("case", include_str!("rows/combinations.txt")),
    ("case", include_str!("rows/budget.txt")),
    ("case", include_str!("rows/identity.txt")),
    ("case", include_str!("rows/adaptive.txt")),
    ("case", include_str!("rows/faults.txt")),
    ("case", include_str!("rows/hedge.txt")),
    ("case", include_str!("rows/keys.txt")),
    ("case", include_str!("rows/choices.txt")),
    (SERVER, include_str!("rows/server.txt")),
];

/// The word for rows that are in names.
const SERVER: &str = "server";

/// Where tests are.
const SOURCES: [&str; 7] = [
    "tests",
    "resilient-core/src",
    "resilient-core/tests",
    "resilient-http/src",
    "resilient-http/tests",
    "resilient-macros/src",
    "resilient-store",
];

/// Where a row is tested, and the reasons to do otherwise.
#[derive(Default)]
struct Tested {
    files: BTreeSet<String>,
    why: BTreeSet<String>,
}

/// What the sources name, by the word for the table and the row.
type Found = BTreeMap<(&'static str, String), Tested>;

fn find(folder: &Path, found: &mut Found) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            for (kind, row, why) in in_comments(&source)
                .chain(in_tables(&source))
                .chain(in_names(&source))
            {
                let tested = found.entry((kind, row)).or_default();
                tested.files.insert(path.display().to_string());
                tested.why.extend(why);
            }
        }
    }
}

type Named = (&'static str, String, Option<String>);

fn in_comments(source: &str) -> impl Iterator<Item = Named> {
    let kinds: BTreeSet<_> = TABLES.iter().map(|(kind, _)| *kind).collect();
    let comments = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("// "));
    comments.flat_map(move |comment| {
        let (named, why) = match comment.split_once(": ") {
            Some((named, why)) => (named, Some(why.to_owned())),
            None => (comment, None),
        };
        let mut found = Vec::new();
        for part in named.split("; ") {
            let Some((kind, rows)) = part.split_once(' ') else {
                continue;
            };
            // Other comments begin with these words, too.
            let rows: Vec<_> = rows.split(", ").collect();
            if let Some(kind) = kinds.get(kind)
                && !rows.iter().any(|row| row.contains(' '))
            {
                found.extend(
                    rows.into_iter()
                        .map(|row| (*kind, row.to_owned(), why.clone())),
                );
            }
        }
        found
    })
}

fn in_tables(source: &str) -> Vec<Named> {
    let lines = source.lines().filter(|line| !line.trim().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for rest in code.split("id: \"").skip(1) {
        let (id, row) = rest.split_once('"').unwrap_or_default();
        // As it is formatted, a row ends where its braces do.
        let row = row.split("\n    }").next().unwrap_or_default();
        let why = row
            .split_once("why: ")
            .and_then(|(_, why)| text(why, &code));
        let words = id.split(' ').map(|word| word.trim_end_matches([':', ',']));
        let cases = words.filter(|word| is_case(word));
        found.extend(cases.map(|case| ("case", case.to_owned(), why.clone())));
    }
    found
}

/// The rows that names of functions begin with.
fn in_names(source: &str) -> impl Iterator<Item = Named> {
    let names = source.split("fn ").skip(1);
    names.flat_map(|name| {
        let words = name.split('_').map(str::to_ascii_uppercase);
        words
            .take_while(|word| is_case(word))
            .filter(|word| word.starts_with(['I', 'Q', 'R', 'S']))
            .map(|row| (SERVER, row, None))
    })
}

/// The literal that `expression` begins with, or that of the constant it names.
fn text(expression: &str, source: &str) -> Option<String> {
    let literal = if let Some(literal) = expression.strip_prefix('"') {
        literal
    } else {
        let name = expression.split(',').next()?;
        let constant = source.split_once(&format!("const {name}: &str ="))?.1;
        constant.trim_start().strip_prefix('"')?
    };
    Some(literal.split('"').next()?.to_owned())
}

/// Whether a word is the number of a case: `RT-01`, `CH-A1` or `K03`.
fn is_case(word: &str) -> bool {
    let all = |text: &str, allowed: fn(&u8) -> bool| text.bytes().all(|byte| allowed(&byte));
    let (group, number) = match word.split_once('-') {
        Some((group, number)) if group.len() == 2 => {
            (group, number.strip_prefix('A').unwrap_or(number))
        }
        None => word.split_at_checked(1).unwrap_or_default(),
        _ => return false,
    };
    let digits = if word.contains("-A") { 1 } else { 2 };
    number.len() == digits && all(group, u8::is_ascii_uppercase) && all(number, u8::is_ascii_digit)
}

/// Lists the rows of a table. What is missing or out of date is returned.
fn wrong(kind: &'static str, table: &str, found: &mut Found) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in table.lines() {
        let mut cells = line.split(" | ");
        let (row, what, reason) = (cells.next().unwrap(), cells.next().unwrap(), cells.next());
        match (found.remove(&(kind, row.to_owned())), reason) {
            (Some(tested), None) => {
                let files = Vec::from_iter(tested.files).join(", ");
                println!("{kind} {row}, {what}: {files}");
                for why in tested.why {
                    println!("    ours: {why}");
                }
            }
            (None, Some(reason)) => println!("{kind} {row}, {what}: does not apply, {reason}"),
            (None, None) => wrong.push(format!("{kind} {row}, {what}: no test names it")),
            (Some(tested), Some(_)) => {
                wrong.push(format!("{kind} {row} applies now: {:?}", tested.files));
            }
        }
    }
    wrong
}

#[test]
fn every_row_has_a_test_or_a_reason() {
    let mut found = Found::new();
    for folder in SOURCES {
        find(Path::new(folder), &mut found);
    }
    let mut all = Vec::new();
    for (kind, table) in TABLES {
        all.extend(wrong(kind, table, &mut found));
    }
    let unknown = found
        .into_iter()
        .map(|((kind, row), tested)| format!("{kind} {row} is in no table: {:?}", tested.files));
    all.extend(unknown);
    assert!(all.is_empty(), "{all:#?}");
}
