//! Random changes to the seeds, for machines without `cargo fuzz`: blind, but fast and the same in
//! every run.
//!
//! ```text
//! mutate <target> <executions> [seed]
//! ```

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;

use resilient_fuzz::{CHECKS, Check};

const LONGEST: usize = 1024;
/// Syntax within syntax within syntax is read by recursion.
const STACK: usize = 256 << 20;

/// Pieces that a change of single bytes would not come upon.
const WORDS: [&str; 48] = [
    "retry",
    "max = 3",
    "base = \"100ms\"",
    "jitter = \"full\"",
    "breaker = \"a\"",
    "per = \"call\"",
    "budget",
    "bulkhead",
    "hedge(after = \"5ms\")",
    "timeout = \"1s\"",
    "deadline = \"5s\"",
    "fallback = f(a)",
    "idempotent",
    "idempotency_key = a.b",
    "classify = f",
    "clone(a)",
    "crate = ::r",
    "dependency = \"d\"",
    "async fn f(a: &A) -> Result<T, E> { g(a).await }",
    "pub ",
    "mut ",
    "self",
    "&mut self",
    "impl Future<Output = ",
    "Pin<Box<dyn Future>>",
    "where T: Send",
    "<'a, T>",
    "enum E { ",
    "struct S(",
    "#[transient]",
    "#[transient(unsent)]",
    "#[throttled(retry_after = 0)]",
    "#[fault]",
    "#[permanent]",
    "#[ignored]",
    "#[classify(source)]",
    "#[classify(with = f)]",
    "kind = \"server\"",
    "#[from]",
    "#[source]",
    "{",
    "}",
    "(",
    ")",
    "18446744073709551616",
    "\u{2212}",
    "GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT",
];

/// Bytes that mean something to somebody.
const SIGNS: &[u8] = b"\"'(){}[]<>=,.:;#&|!?-+_0129azAZ \n\\/";

struct Random(u64);

impl Random {
    /// `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length + 1);
        let most = (length - from).min(32);
        from..from + self.below(most + 1)
    }
}

fn mutate(text: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let range = random.range(text.len());
        match random.below(8) {
            0 => drop(text.splice(range, [])),
            1 => {
                let copy = text[range].to_vec();
                let at = random.below(text.len() + 1);
                text.splice(at..at, copy);
            }
            2 | 3 => {
                let word = WORDS[random.below(WORDS.len())];
                text.splice(range, word.bytes());
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let part = other[random.range(other.len())].to_vec();
                text.splice(range, part);
            }
            5 => {
                let byte = b' ' + random.below(95) as u8;
                text.insert(range.start, byte);
            }
            6 if !text.is_empty() => {
                let at = random.below(text.len());
                text[at] ^= 1 << random.below(8);
            }
            _ if !text.is_empty() => {
                let at = random.below(text.len());
                text[at] = SIGNS[random.below(SIGNS.len())];
            }
            _ => {}
        }
    }
    text.truncate(LONGEST);
}

thread_local! {
    static CURRENT: RefCell<String> = const { RefCell::new(String::new()) };
}

fn run(check: Check, seeds: Vec<Vec<u8>>, executions: u64, seed: u64) -> u64 {
    let mut random = Random(seed);
    let mut pool = seeds.clone();
    let mut total = 0;
    for execution in 0..executions {
        let mut text = pool[random.below(pool.len())].clone();
        mutate(&mut text, &seeds, &mut random);
        let string = String::from_utf8_lossy(&text).into_owned();
        CURRENT.with(|current| current.replace(string.clone()));
        check(&string);
        total += string.len() as u64;
        // Some changes add up.
        if execution % 16 == 0 {
            if pool.len() < 4096 {
                pool.push(text);
            } else {
                let at = seeds.len() + random.below(pool.len() - seeds.len());
                pool[at] = text;
            }
        }
    }
    total
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let target = arguments.first().map_or("", String::as_str);
    let number = |at: usize, default| {
        arguments
            .get(at)
            .map_or(Some(default), |number| number.parse().ok())
    };
    let (check, executions, seed) = (
        CHECKS.iter().find(|(name, _)| *name == target),
        number(1, 1_000_000),
        number(2, 1),
    );
    let (Some((_, check)), Some(executions), Some(seed)) = (check, executions, seed) else {
        eprintln!(
            "mutate <{}> <executions> [seed]",
            CHECKS.map(|(name, _)| name).join("|")
        );
        return ExitCode::FAILURE;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(target);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path())
        .collect();
    files.sort();
    let seeds: Vec<_> = files.iter().flat_map(std::fs::read).collect();
    if seeds.is_empty() {
        eprintln!("{target} has no seeds");
        return ExitCode::FAILURE;
    }
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        CURRENT.with(|text| eprintln!("this text does it: {:?}", text.borrow()));
        told(panic);
    }));
    let check = *check;
    let runner = std::thread::Builder::new().stack_size(STACK);
    match runner
        .spawn(move || run(check, seeds, executions, seed))
        .map(|thread| thread.join())
    {
        Ok(Ok(bytes)) => {
            println!("{target}: {executions} texts, {bytes} bytes, nothing found");
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}
