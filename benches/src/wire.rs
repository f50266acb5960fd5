//! Tables and targets from one program to another, a line each: a word for what it is, then its parts,
//! with tabs between them.

use crate::table::Table;
use crate::target::Bound::{AtLeast, AtMost};
use crate::target::Target;

const TABLE: &str = "table";
const ROW: &str = "row";
const AT_MOST: &str = "at most";
const AT_LEAST: &str = "at least";

/// As lines.
pub fn write(tables: &[Table], targets: &[Target]) -> String {
    let mut lines = Vec::new();
    for table in tables {
        lines.push(format!("{TABLE}\t{}", table.title));
        let rows = table.rows.iter();
        lines.extend(rows.map(|row| format!("{ROW}\t{}", row.join("\t"))));
    }
    for target in targets {
        let (word, bound) = match target.bound {
            AtMost(bound) => (AT_MOST, bound),
            AtLeast(bound) => (AT_LEAST, bound),
        };
        let Target { what, measured, .. } = target;
        lines.push(format!("{word}\t{what}\t{measured}\t{bound}"));
    }
    lines.join("\n") + "\n"
}

/// From lines; others are left out.
pub(crate) fn read(text: &str) -> (Vec<Table>, Vec<Target>) {
    let mut tables: Vec<Table> = Vec::new();
    let mut targets = Vec::new();
    for line in text.lines() {
        let mut parts = line.split('\t');
        let word = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        match (word, parts.as_slice()) {
            (TABLE, [title]) => tables.push(Table::new(*title, &[])),
            (ROW, [name, cells @ ..]) => {
                if let Some(table) = tables.last_mut() {
                    table.row(name, cells.iter().map(ToString::to_string));
                }
            }
            (AT_MOST, [what, measured, bound]) => {
                targets.extend(target(what, measured, bound, AtMost));
            }
            (AT_LEAST, [what, measured, bound]) => {
                targets.extend(target(what, measured, bound, AtLeast));
            }
            _ => {}
        }
    }
    // A table begins with the names of its columns, which came as its first row.
    for table in &mut tables {
        table.rows.retain(|row| !row.is_empty());
    }
    (tables, targets)
}

fn target(
    what: &str,
    measured: &str,
    bound: &str,
    which: fn(f64) -> crate::target::Bound,
) -> Option<Target> {
    Some(Target::new(
        what,
        measured.parse().ok()?,
        which(bound.parse().ok()?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut table = Table::new("a title", &["lane", "us"]);
        table.row("first", ["1.5".to_owned()]);
        let targets = [
            Target::new("quick", 1.25, AtMost(1.5)),
            Target::new("wide", 2.0, AtLeast(3.0)),
        ];
        let tables = [table];
        let (read_tables, read_targets) = read(&write(&tables, &targets));
        assert_eq!(read_tables.len(), 1);
        assert_eq!(read_tables[0].to_string(), tables[0].to_string());
        let told = |targets: &[Target]| -> Vec<String> {
            targets.iter().map(ToString::to_string).collect()
        };
        assert_eq!(told(&read_targets), told(&targets));
    }
}
