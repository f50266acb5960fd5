//! Scripts, put together of the lines that a task needs for limits of some kinds.
//!
//! | in the lines | stands for |
//! |---|---|
//! | `--- name` | the beginning of what is inserted under that name |
//! | `&name` in a task | those lines of each limit in turn, if its kind has any |
//! | `&name` in the lines of a limit | those lines of the same limit |
//! | `@` | the place of the limit: 1, 2, .. |
//! | `$1`, `$2`, .. | the words that the limit is told in |
//!
//! All that a run has to do stands in one line after the other, without tables and almost without
//! functions: Redis makes those anew for each run, and it showed.

use super::kind::Kind;

const PRELUDE: &str = include_str!("scripts/prelude.lua");
const LIMIT: &str = include_str!("scripts/limit.lua");
const FIXED: &str = include_str!("scripts/fixed.lua");
const SLIDING: &str = include_str!("scripts/sliding.lua");
const LOG: &str = include_str!("scripts/log.lua");
const BUCKET: &str = include_str!("scripts/bucket.lua");

/// The words before those of the first limit: the cost, and one of the task's own.
const WORDS_BEFORE: usize = 2;

/// What is done with limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    Decide,
    Reserve,
    Refund,
}

/// A limit in a script.
#[derive(Clone, Copy, Debug)]
struct Placed {
    kind: Kind,
    place: usize,
    words_before: usize,
}

/// The text of a task for limits of these kinds, in this order.
pub(super) fn text(task: Task, kinds: &[Kind]) -> String {
    let mut words_before = WORDS_BEFORE;
    let mut limits = Vec::new();
    for (index, &kind) in kinds.iter().enumerate() {
        limits.push(Placed {
            kind,
            place: index + 1,
            words_before,
        });
        words_before += kind.words();
    }
    let mut text = PRELUDE.to_owned();
    for (index, kind) in kinds.iter().enumerate() {
        if !kinds[..index].contains(kind) {
            text += section(lines_of(*kind), "functions").unwrap_or_default();
        }
    }
    for line in lines_for(task).lines() {
        match line.trim_start().strip_prefix('&') {
            Some(name) => text.extend(limits.iter().map(|limit| limit.lines(name))),
            None => text += line,
        }
        text.push('\n');
    }
    text
}

impl Placed {
    /// Its lines of this name.
    fn lines(self, name: &str) -> String {
        let own = section(lines_of(self.kind), name);
        let lines = own.or_else(|| section(LIMIT, name)).unwrap_or_default();
        let (mut text, mut rest) = (String::new(), lines);
        while let Some((before, after)) = rest.split_once('&') {
            let end = after.find(|char: char| !char.is_ascii_lowercase());
            let (name, after) = after.split_at(end.unwrap_or(after.len()));
            text += before;
            text += self.lines(name).trim_end();
            rest = after;
        }
        text += rest;
        for word in 1..=self.kind.words() {
            let argument = format!("ARGV[{}]", self.words_before + word);
            text = text.replace(&format!("${word}"), &argument);
        }
        text.replace('@', &self.place.to_string())
    }
}

fn lines_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Fixed => FIXED,
        Kind::Sliding => SLIDING,
        Kind::Log => LOG,
        Kind::Bucket => BUCKET,
    }
}

fn lines_for(task: Task) -> &'static str {
    match task {
        Task::Decide => include_str!("scripts/decide.lua"),
        Task::Reserve => include_str!("scripts/reserve.lua"),
        Task::Refund => include_str!("scripts/refund.lua"),
    }
}

/// What stands under a name.
fn section<'a>(lines: &'a str, name: &str) -> Option<&'a str> {
    let mut sections = lines.split("\n--- ").skip(1);
    sections.find_map(|section| section.strip_prefix(name)?.strip_prefix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Kind; 4] = [Kind::Fixed, Kind::Sliding, Kind::Log, Kind::Bucket];

    /// Nothing is left to be filled in, for every kind alone and for as many limits as there can be.
    #[test]
    fn r26_scripts_are_whole() {
        let mut shapes: Vec<Vec<Kind>> = ALL.map(|kind| vec![kind; 8]).to_vec();
        shapes.extend(ALL.map(|kind| vec![kind]));
        shapes.push(ALL.repeat(2));
        for kinds in shapes {
            for task in [Task::Decide, Task::Reserve, Task::Refund] {
                let text = text(task, &kinds);
                for mark in ['@', '$', '&'] {
                    assert!(!text.contains(mark), "{mark} is left in {text}");
                }
                assert!(!text.contains("\n--- "), "{text}");
                let last = format!("KEYS[{}]", kinds.len());
                assert!(text.contains(&last), "{last} is not in {text}");
                assert!(!text.contains(&format!("KEYS[{}]", kinds.len() + 1)));
            }
        }
    }

    #[test]
    fn r26_each_limit_reads_its_own_words() {
        let text = text(Task::Decide, &[Kind::Fixed, Kind::Sliding, Kind::Fixed]);
        for line in [
            "local quota_1, window_1 = tonumber(ARGV[3]), tonumber(ARGV[4])",
            "local quota_2, window_2, tick_2 = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])",
            "local quota_3, window_3 = tonumber(ARGV[8]), tonumber(ARGV[9])",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
