//! The rule G1 and the reports of group I, played on the handle with made-up moments.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::tokens::Tokens;
use super::{Budget, BudgetHandle};
use crate::seam::clock::{self, Moment};

fn handle(budget: &Budget) -> BudgetHandle {
    BudgetHandle::new(budget.settings().expect("the numbers are good"))
}

/// Plays a script: `a10` ten answers, `s6/10` six of ten retries asked for are paid, `r2` two are
/// given back, `+500` half a second passes, `t` a clock reading at hand, `=3` three are left.
fn play(name: &str, budget: &BudgetHandle, script: &str) {
    let mut now = clock::now();
    let mut spent = Vec::new();
    for step in script.split_whitespace() {
        let (verb, rest) = step.split_at(1);
        let number = |text: &str| text.parse::<u64>().expect("a number");
        match verb {
            "a" => (0..number(rest)).for_each(|_| budget.answered()),
            "s" => {
                let (paid, asked) = rest.split_once('/').expect("two numbers");
                let granted = (0..number(asked))
                    .filter(|_| budget.try_spend(now))
                    .inspect(|_| spent.push(now))
                    .count();
                assert_eq!(granted as u64, number(paid), "{name}: {step}");
            }
            "r" => (0..number(rest))
                .for_each(|_| budget.refund(spent.pop().expect("something was spent"))),
            "+" => now = now.plus(Duration::from_millis(number(rest))),
            "t" => budget.tick(now),
            "=" => assert_eq!(budget.available(now), Some(number(rest)), "{name}: {step}"),
            _ => panic!("unknown step {step}"),
        }
    }
}

// case I02, I05, BG-06, BG-09, BG-10, BG-11, BG-14
#[test]
fn g1_ratio_scripts() {
    let ratio = |ratio: f64, floor: u32| Budget::ratio(ratio).window("10s").floor(floor);
    let rows = [
        // Nothing of a ratio is cut off.
        ("i02 0.6", ratio(0.6, 0), "a10 s6/10"),
        ("i02 0.3", ratio(0.3, 0), "a10 s3/10"),
        ("i02 0.75", ratio(0.75, 0), "a10 s7/10"),
        ("i02 1.5", ratio(1.5, 0), "a10 s10/10 s5/10"),
        ("i02 0.29", ratio(0.29, 0), "a100 s29/100"),
        ("i02 0.07", ratio(0.07, 0), "a100 s7/100"),
        ("i02 1/3", ratio(1.0 / 3.0, 0), "a9 s2/9 a1 s1/9"),
        ("i02 the smallest", ratio(1e-9, 0), "a1000 s0/3"),
        ("bg06 empty", ratio(0.0, 0), "s0/1 a100 s0/1 =0"),
        ("bg09 above 1", ratio(2.0, 0), "a10000 =20000"),
        (
            "bg10 only the floor",
            ratio(0.0, 10),
            "a10000 s10/10000 a10000 s0/1",
        ),
        ("bg11 both", ratio(0.1, 10), "a10000 s1010/10000"),
        ("bg11 both, steeper", ratio(0.5, 10), "a10000 s5010/10000"),
        (
            "g1 defaults",
            Budget::default(),
            "s3/5 a3 s0/5 a1 s1/5 a2 s0/5 a1 s1/5",
        ),
        // What leaves the window counts no more, on either side.
        (
            "bg14 the floor comes back with the window",
            ratio(0.0, 100),
            "s50/50 s50/51 +5000 s0/1 +4000 s0/1 +1000 s100/200",
        ),
        (
            "g1 spending in parts comes back in parts",
            ratio(0.0, 4),
            "s2/2 +5000 s2/3 +5000 s2/3 +5000 s2/3 +10000 s4/5",
        ),
        (
            "g1 old answers pay for nothing",
            ratio(0.5, 0),
            "a100 t +10000 s0/10",
        ),
        (
            "g1 answers pay while they are young",
            ratio(0.5, 0),
            "a100 t +8000 s10/10",
        ),
        // Without a clock reading for 100 s, 10 answers a second; the newest tenth of the window
        // has just begun, so it remembers 9 s.
        (
            "g1 undated answers are spread over the time they may be from",
            ratio(1.0, 0),
            "t +100000 a1000 s90/1000",
        ),
        // What was never sent is given back.
        ("i05 given back", ratio(0.0, 2), "s2/3 r1 s1/3 r1 r1 s2/3"),
        (
            "i05 given back later",
            ratio(0.0, 2),
            "s1/1 +3000 s1/2 +3000 r2 =2 s2/3",
        ),
        (
            "i05 given back too late gives nothing",
            ratio(0.0, 2),
            "s2/2 +30000 s2/3 +10 =0",
        ),
        (
            "i05 a thousand cancelled calls",
            ratio(0.0, 1),
            &"s1/1 r1 ".repeat(1000),
        ),
    ];
    for (name, budget, script) in rows {
        play(name, &handle(&budget), script);
    }
}

// case I05, BG-02, BG-15, BG-26
#[test]
fn g1_token_scripts() {
    let tokens = |max: u32, refill: f64| Budget::tokens(max).refill_per_success(refill);
    let rows = [
        (
            "bg02 starts full, stays within",
            tokens(10, 0.5),
            "=10 a100 =10 s10/20 =0 s0/5",
        ),
        ("bg15 bounded", tokens(10, 1.0), "a15 s10/11 a15 =10 s10/11"),
        (
            "g1 tenths add up to a whole one",
            tokens(1, 0.1),
            "s1/1 a9 s0/1 a1 s1/1 s0/1",
        ),
        ("bg26 replenished", tokens(500, 1.0), "s500/600 a3 s3/4"),
        (
            "g1 a failure refills nothing",
            tokens(3, 0.1),
            "s3/3 s0/100",
        ),
        // Time fills, so an empty bucket does not stay empty.
        (
            "g1 a token per ten seconds",
            tokens(3, 0.0),
            "s3/4 +9999 s0/1 +1 s1/2 +25000 s2/3 +5000 s1/2",
        ),
        (
            "g1 a full bucket earns nothing",
            tokens(3, 0.0),
            "+3600000 s3/4 +9999 s0/1 +1 s1/2",
        ),
        (
            "g1 time fills no further than full",
            tokens(3, 0.0),
            "s3/3 +3600000 =3 s3/4",
        ),
        (
            "g1 not even the rest of the time in which it became full",
            tokens(1, 0.0),
            "s1/1 +15000 s1/1 +5000 s0/1 +4999 s0/1 +1 s1/2",
        ),
        ("i05 given back", tokens(2, 0.0), "s2/3 r1 s1/3 r2 =2"),
        (
            "i05 a full bucket takes nothing back",
            tokens(2, 1.0),
            "s1/1 a1 r1 =2",
        ),
        (
            "i04 the largest bucket",
            tokens(u32::MAX, f64::from(u32::MAX)),
            "s9/9 a1 =4294967295",
        ),
    ];
    for (name, budget, script) in rows {
        play(name, &handle(&budget), script);
    }
}

// case BG-07
#[test]
fn bg07_unlimited_never_refuses() {
    let budget = handle(&Budget::unlimited());
    let now = clock::now();
    assert!((0..10_000).all(|_| budget.try_spend(now)));
    budget.answered();
    budget.refund(now);
    budget.tick(now);
    assert_eq!(budget.available(now), None);
}

// case L02
#[test]
fn g1_time_that_runs_backwards_does_no_harm() {
    for budget in [Budget::ratio(0.0).floor(2), Budget::tokens(2)] {
        let budget = handle(&budget);
        let now = clock::now().plus(Duration::from_secs(60));
        assert!(budget.try_spend(now));
        budget.tick(now);
        let before = Moment::from_bits(now.to_bits() - 30_000_000_000);
        budget.answered();
        budget.tick(before);
        assert!(budget.try_spend(before));
        assert!(!budget.try_spend(before));
        budget.refund(now);
        assert!(budget.try_spend(now));
        assert!(!budget.try_spend(Moment::from_bits(0)));
    }
}

#[test]
fn g1_numbers_change_and_counts_stay() {
    let now = clock::now();
    let change = |budget: &BudgetHandle, to: &Budget| {
        budget.reconfigure(to.settings().expect("the numbers are good"));
        budget.available(now)
    };

    let budget = handle(&Budget::ratio(0.5).floor(0));
    (0..100).for_each(|_| budget.answered());
    assert!((0..20).all(|_| budget.try_spend(now)));
    assert_eq!(change(&budget, &Budget::ratio(0.3).floor(1)), Some(11));
    let longer = Budget::ratio(0.5).floor(0).window("60s");
    assert_eq!(change(&budget, &longer), Some(30));
    assert_eq!(change(&budget, &Budget::ratio(0.1).floor(0)), Some(0));

    assert_eq!(change(&budget, &Budget::tokens(7)), Some(7), "starts full");
    assert!((0..5).all(|_| budget.try_spend(now)));
    assert_eq!(change(&budget, &Budget::tokens(100)), Some(2));
    assert_eq!(change(&budget, &Budget::tokens(1)), Some(1));
    assert_eq!(change(&budget, &Budget::unlimited()), None);
    let anew = Budget::ratio(0.5).floor(4);
    assert_eq!(change(&budget, &anew), Some(4), "starts empty");
}

#[test]
fn g1_time_before_a_change_is_paid_for_by_the_numbers_before_it() {
    let second = Duration::from_secs(1);
    let at = |seconds: u64| Moment::at_millis(seconds * 1_000);
    let bucket = |spent: u32| {
        let bucket = Tokens::new(2, 0.0, 10 * second, at(0));
        assert!((0..spent).all(|_| bucket.try_spend(at(0))));
        bucket
    };

    let full = bucket(0);
    full.reconfigure(100, 0.0, 10 * second, at(3_600));
    assert_eq!(full.left(at(3_609)), 2, "a full bucket had earned nothing");
    assert_eq!(full.left(at(3_610)), 3);

    let empty = bucket(2);
    empty.reconfigure(2, 0.0, second, at(9));
    assert_eq!(empty.left(at(9)), 0, "nine of ten seconds are no token");
    assert_eq!(empty.left(at(10)), 1);

    let half = bucket(2);
    half.reconfigure(2, 0.0, 1_000 * second, at(10));
    assert_eq!(half.left(at(10)), 1, "what was earned is there");
}

/// Ticks on the way do not change how many answers are counted.
#[test]
fn g1_ticks_lose_no_answers() {
    let budget = handle(&Budget::ratio(1.0).window("10s").floor(0));
    let mut now = clock::now();
    for _ in 0..80 {
        budget.answered();
        now = now.plus(Duration::from_millis(100));
        budget.tick(now);
    }
    assert_eq!(budget.available(now), Some(80));
}

// case I03
#[test]
fn i03_tokens_are_exact_under_contention() {
    let budget = handle(&Budget::tokens(16).refill_per_success(1.0));
    let now = clock::now();
    assert!((0..16).all(|_| budget.try_spend(now)));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    budget.answered();
                    // Everyone puts one in before taking one out, so one is there.
                    assert!(budget.try_spend(now));
                }
            });
        }
    });
    assert_eq!(budget.available(now), Some(0));
    assert!(!budget.try_spend(now));
}

// case I03
#[test]
fn i03_ratio_is_exact_under_contention() {
    let budget = handle(&Budget::ratio(0.6).floor(5));
    let now = clock::now();
    let paid = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for step in 0..10_000 {
                    budget.answered();
                    if step % 64 == 0 {
                        budget.tick(now);
                    }
                    if budget.try_spend(now) {
                        paid.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    while budget.try_spend(now) {
        paid.fetch_add(1, Ordering::Relaxed);
    }
    assert_eq!(paid.into_inner(), 80_000 * 6 / 10 + 5);
}
