//! The page that holds the tables, and keeps what people wrote around them.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Puts a text between the two marks of its name.
pub(crate) fn put(page: &Path, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let (begin, end) = (
        format!("<!-- {name}: measured -->"),
        format!("<!-- {name}: end -->"),
    );
    let old = fs::read_to_string(page)?;
    let marked = old.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some(format!("{before}{begin}\n{text}{end}{after}"))
    });
    let new = marked.ok_or_else(|| format!("{} has no place for `{name}`", page.display()))?;
    fs::write(page, new)?;
    Ok(())
}
