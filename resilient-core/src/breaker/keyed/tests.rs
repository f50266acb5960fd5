use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

fn at(millis: u64) -> Moment {
    Moment::at_millis(millis)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn keyed(uses: &[(&str, u64)]) -> Keyed<Loss> {
    let mut keyed = Keyed::new();
    for (key, millis) in uses {
        if keyed.use_at(key, at(*millis)).is_none() {
            keyed.add(BreakerKey::new(*key), Loss::Counts, at(*millis));
        }
    }
    keyed
}

fn keys<T>(keyed: &Keyed<T>) -> String {
    let mut keys: Vec<&str> = keyed.iter().map(|(key, _)| &**key).collect();
    keys.sort_unstable();
    keys.concat()
}

#[test]
fn the_one_not_used_for_longest_goes() {
    let rows = [
        ("abc", "bc"),
        ("abca", "ac"),
        ("abcab", "ab"),
        ("abccb", "bc"),
        ("aaa", ""),
        ("", ""),
    ];
    for (uses, left) in rows {
        let uses: Vec<String> = uses.chars().map(String::from).collect();
        // All at the same time: the order is that of the uses, not of the clock.
        let uses: Vec<(&str, u64)> = uses.iter().map(|key| (&**key, 0)).collect();
        let mut keyed = keyed(&uses);
        keyed.evict(|loss| *loss);
        assert_eq!(keys(&keyed), left, "{uses:?}");
    }
}

#[test]
fn the_one_with_which_the_least_is_lost_goes_first() {
    let mut keyed = Keyed::new();
    for (key, loss) in [
        ("a", Loss::Order),
        ("b", Loss::Refusal),
        ("c", Loss::Outcomes),
        ("d", Loss::Counts),
        ("e", Loss::Counts),
        ("f", Loss::Refusal),
        ("g", Loss::Outcomes),
    ] {
        keyed.add(BreakerKey::new(key), loss, at(0));
    }
    for left in ["abcefg", "abcfg", "abfg", "abf", "af", "a", ""] {
        assert!(keyed.evict(|loss| *loss).is_some());
        assert_eq!(keys(&keyed), left);
    }
    assert!(keyed.evict(|loss| *loss).is_none());
}

#[test]
fn looking_is_no_use() {
    let mut keyed = keyed(&[("a", 0), ("b", 0)]);
    assert!(keyed.get("a").is_some() && keyed.get("c").is_none());
    keyed.evict(|loss| *loss);
    assert_eq!(keys(&keyed), "b");
}

#[test]
fn what_rests_and_may_go_is_swept() {
    let rows = [
        // at, idle, left
        (100, 101, "abc"),
        (100, 100, "bc"),
        (150, 100, "c"),
        (1_000, 1, ""),
        // The clock of whoever comes second may lag behind.
        (0, 70, "bc"),
    ];
    for (now, idle, left) in rows {
        let mut keyed = keyed(&[("b", 0), ("a", 0), ("c", 0), ("b", 50), ("c", 70)]);
        let swept = keyed.sweep(at(now), ms(idle), |_| true);
        assert_eq!(keys(&keyed), left, "at {now}, idle {idle}");
        assert_eq!(swept.len() + keyed.len(), 3);
    }
    let mut keyed = keyed(&[("a", 0)]);
    assert!(keyed.sweep(at(9), ms(1), |_| false).is_empty());
    assert_eq!(keyed.len(), 1, "those that may not go stay");
}

/// The same as a list that is searched from end to end.
#[test]
fn it_does_what_a_plain_list_does() {
    let mut dice = StdRng::seed_from_u64(7);
    let mut keyed: Keyed<u32> = Keyed::new();
    let mut plain: Vec<(String, u32, u64)> = Vec::new();
    for step in 0..20_000_u64 {
        let key = dice.random_range(0..12_u32).to_string();
        match dice.random_range(0..10_u32) {
            0 => {
                let weight = |value: &u32| match value % 4 {
                    0 => Loss::Counts,
                    1 => Loss::Outcomes,
                    2 => Loss::Refusal,
                    _ => Loss::Order,
                };
                let least = plain.iter().map(|(_, value, _)| weight(value)).min();
                let goes = plain
                    .iter()
                    .position(|(_, value, _)| Some(weight(value)) == least);
                let goes = goes.map(|at| plain.remove(at).1);
                assert_eq!(keyed.evict(weight), goes);
            }
            1 => {
                let idle = dice.random_range(0..40);
                let (mut gone, mut stay) = (Vec::new(), Vec::new());
                for entry in plain.drain(..) {
                    let goes = step - entry.2 >= idle && entry.1 % 3 == 0;
                    if goes { &mut gone } else { &mut stay }.push(entry);
                }
                plain = stay;
                let swept = keyed.sweep(at(step), ms(idle), |value| value % 3 == 0);
                let gone: Vec<u32> = gone.into_iter().map(|entry| entry.1).collect();
                assert_eq!(swept, gone);
            }
            _ => {
                let known = plain.iter().position(|(known, ..)| *known == key);
                let known = known.map(|place| plain.remove(place));
                let value = known.as_ref().map(|(_, value, _)| *value);
                assert_eq!(keyed.use_at(&key, at(step)), value.as_ref());
                let value = value.unwrap_or_else(|| dice.random());
                if known.is_none() {
                    keyed.add(BreakerKey::new(&*key), value, at(step));
                }
                plain.push((key, value, step));
            }
        }
        assert_eq!(keyed.len(), plain.len());
    }
}
