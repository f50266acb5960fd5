//! Tables that read well in a terminal and in Markdown.

use std::fmt;

/// A heading, the names of the columns, and the rows.
pub struct Table {
    pub(crate) title: String,
    /// The names of the columns first.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        Table {
            title: title.into(),
            rows: vec![columns.iter().map(ToString::to_string).collect()],
        }
    }

    /// Adds a row: a name and its cells.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        let row = std::iter::once(name.to_owned()).chain(cells).collect();
        self.rows.push(row);
    }
}

/// A number with so many decimals; nothing where it could not be measured.
pub fn number(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return String::new();
    }
    format!("{value:.decimals$}")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        writeln!(f, "## {}\n", self.title)?;
        for (index, row) in self.rows.iter().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "| {cell:<width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            writeln!(f)?;
            if index == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    match column {
                        0 => write!(f, "|{:-<w$}|", "", w = width + 2)?,
                        _ => write!(f, "{:-<w$}:|", "", w = width + 1)?,
                    }
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
