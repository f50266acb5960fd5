//! "Did you mean": the known word that is nearest to a misspelt one.

/// The one of `known` that `word` was probably meant to be.
///
/// At most a third of the letters may differ, so that a word that is merely unknown is not
/// "corrected" into something unrelated.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let tolerance = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            *distance <= tolerance && *distance < candidate.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "`a`, `b`, `c`".
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words
        .into_iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The number of letters to add, drop, replace or swap with their neighbour (optimal string
/// alignment) that lead from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut uppermost: Vec<usize> = Vec::new();
    let mut upper: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (i, letter) in a.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let mut least = (upper[j] + usize::from(letter != *other))
                .min(upper[j + 1] + 1)
                .min(row[j] + 1);
            if j > 0 && previous == Some(*other) && letter == b[j - 1] {
                least = least.min(uppermost[j - 1] + 1);
            }
            row.push(least);
        }
        previous = Some(letter);
        uppermost = upper;
        upper = row;
    }
    upper[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "max", 3),
            ("mx", "max", 1),
            ("retyr", "retry", 1),
            ("sconds", "seconds", 1),
            ("jitter", "factor", 4),
        ] {
            assert_eq!(distance(a, b), edits, "{a} -> {b}");
            assert_eq!(distance(b, a), edits, "{b} -> {a}");
        }
    }

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let known = ["retry", "breaker", "budget", "timeout"];
        for (word, meant) in [
            ("retri", Some("retry")),
            ("Retry", Some("retry")),
            ("braeker", Some("breaker")),
            ("timeuot", Some("timeout")),
            ("x", None),
            ("foo", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
