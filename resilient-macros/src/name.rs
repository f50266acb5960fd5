//! The rule for names of dependencies, checked while compiling.

const LONGEST: usize = 128;

/// Why `name` cannot name a dependency, or nothing if it can.
pub(crate) fn problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("the name is empty; write for example `\"payment\"`".to_owned());
    }
    if name.len() > LONGEST {
        return Some(format!(
            "the name is longer than {LONGEST} characters ({})",
            name.len()
        ));
    }
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let stranger = name.chars().find(|letter| !allowed(*letter))?;
    Some(format!(
        "a name may use letters, digits, `.`, `_` and `-`, found {stranger:?}"
    ))
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn names() {
        for (name, fits) in [
            ("payment", true),
            ("eu-west.payment_2", true),
            ("", false),
            ("pay ment", false),
            ("paymént", false),
            (&"x".repeat(128), true),
            (&"x".repeat(129), false),
        ] {
            assert_eq!(problem(name).is_none(), fits, "{name:?}");
        }
    }
}
