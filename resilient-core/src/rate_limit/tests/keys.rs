//! Many keys: bounded, and forgotten when they are as good as new.

use super::*;

/// As many as R38 has, in the long run; here only so many that every shard has more than a slice.
const MANY: u64 = 100_000;

fn memory(limit: &RateLimit) -> Memory {
    let settings = limit.settings().expect("the numbers are good");
    Memory::at(&settings, Epoch::at(MIDNIGHT, now()))
}

/// Case R38, and R13 of the bugs: after two idle windows those who come clean up, a little each.
#[tokio::test(start_paused = true)]
async fn r38_idle_keys_are_forgotten_by_those_who_come_after() {
    for limit in [
        Limit::fixed("l", 5, "10s"),
        Limit::sliding_counter("l", 5, "10s"),
        Limit::sliding_log("l", 5, "10s"),
        Limit::token_bucket("l", 5, "10s"),
        Limit::gcra("l", 5, "10s"),
    ] {
        let memory = memory(&api(limit));
        let empty = memory.table_bytes();
        for key in 0..MANY {
            memory.take(&key.to_string(), 1).expect("it fits");
        }
        assert_eq!(memory.keys(), MANY);
        let full = memory.table_bytes();
        assert!(full as u64 / MANY < 100, "{} bytes", full as u64 / MANY);
        advance(secs(20)).await;
        for _ in 0..2_000 {
            let _ = memory.take("0", 1);
        }
        assert_eq!(memory.keys(), 1);
        assert!(memory.table_bytes() - empty < full / 10);
    }
}

/// R13 of the bugs: what is forgotten had its whole quota again.
#[tokio::test(start_paused = true)]
async fn r13_forgetting_gives_nothing_away() {
    let memory = memory(&api(Limit::gcra("l", 10, "10s")));
    memory.take("hog", 10).expect("it fits");
    for round in 0..40 {
        for key in 0..500 {
            memory.take(&format!("{round} {key}"), 1).expect("it fits");
        }
        advance(secs(1)).await;
        let left = memory.decide("hog", 0, false).expect("it is a look");
        let left = left.tightest().expect("a limit").remaining;
        assert_eq!(left, 10.min(round + 1));
    }
    assert!(memory.keys() < 2 * 10 * 500, "{}", memory.keys());
}

/// No more keys than were asked for; who had used the least makes room.
#[tokio::test(start_paused = true)]
async fn r13_the_number_of_keys_is_bounded() {
    let memory = memory(&api(Limit::fixed("l", 10, "1h")).max_keys(100));
    memory.take("hog", 10).expect("it fits");
    for key in 0..10_000 {
        memory.take(&key.to_string(), 1).expect("it fits");
        assert!(memory.keys() <= 100);
    }
    assert_eq!(memory.evicted(), 10_000 - 99);
    assert!(memory.take("hog", 1).is_err(), "it had used the most");
}

/// Who is refused before anything of his was counted is not remembered.
#[tokio::test(start_paused = true)]
async fn who_never_passed_takes_no_room() {
    let memory = memory(&api(Limit::fixed("l", 10, "1h")));
    for key in 0..100 {
        let key = key.to_string();
        assert!(memory.take(&key, 11).is_err());
        memory.decide(&key, 1, false).expect("it is a look");
        memory.behind(&key, &[10], 1).expect_err("it is not first");
    }
    assert_eq!(memory.keys(), 0);
}

/// Case R03, in one process: exactly ten, however many threads ask.
#[test]
fn r03_threads_share_one_count_exactly() {
    for limit in [
        api(Limit::gcra("l", 10, "1h")),
        api(Limit::gcra("l", 10, "1h")).unkeyed(),
        api(Limit::sliding_counter("l", 10, "1h")),
    ] {
        let memory = memory(&limit);
        let passed: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..25).filter(|_| memory.take("u", 1).is_ok()).count()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .sum()
        });
        assert_eq!(passed, 10);
    }
}
