//! Rule G1 in plain numbers.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::ratio::Ratio;
use super::tokens::Tokens;
use crate::reference::play_all;
use crate::seam::clock::Moment;
use crate::window::reference::LastTime;

const BILLION: u128 = 1_000_000_000;

/// Shares of whole billionths, as they are written.
fn shares(most: u64) -> impl Strategy<Value = (u64, f64)> {
    let billion = 1_000_000_000;
    prop_oneof![
        Just(0),
        Just(billion),
        (0..=most * 100).prop_map(move |hundredths| hundredths * billion / 100),
        0..=most * billion,
    ]
    .prop_map(|billionths| {
        let share = format!("{billionths}e-9").parse().expect("a number");
        (billionths, share)
    })
}

#[derive(Clone, Debug)]
enum Does {
    /// So many answers, nobody having taken down when.
    Answered(u64),
    Spend,
    /// Gives back what was spent so many steps ago.
    Refund(usize),
    Reconfigure((u64, f64), u64, u32),
}

/// The retries of the last window are at most `ratio` times the attempts answered in it, plus
/// `floor`.
struct AtMost {
    billionths: u64,
    floor: u32,
    /// Answers are the good ones, retries the bad ones.
    window: LastTime,
    told: Moment,
}

impl AtMost {
    fn left(&mut self, now: Moment) -> u128 {
        let (answered, retries) = self.window.totals(now);
        let allowed =
            u128::from(answered) * u128::from(self.billionths) / BILLION + u128::from(self.floor);
        allowed.saturating_sub(u128::from(retries))
    }
}

#[test]
fn g1_a_ratio_allows_what_the_rule_allows() {
    let does = prop_oneof![
        4 => (0..40_u64).prop_map(Does::Answered),
        6 => Just(Does::Spend),
        2 => (0..4_usize).prop_map(Does::Refund),
        1 => (shares(3), 1..3_000_u64, 0..6_u32)
            .prop_map(|(share, window, floor)| Does::Reconfigure(share, window, floor)),
    ];
    let scripts = (
        shares(3),
        1..3_000_u64,
        0..6_u32,
        vec((0..400_u64, does), 1..80),
    );
    play_all(scripts, |((billionths, share), window, floor, script)| {
        let mut millis = 0;
        let start = Moment::at_millis(millis);
        let window = Duration::from_millis(window);
        let mut engine = Ratio::new(share, window, floor, start);
        let mut model = AtMost {
            billionths,
            floor,
            window: LastTime::new(window),
            told: start,
        };
        let mut length = window;
        let mut spent = Vec::new();
        for (wait, does) in script {
            millis += wait;
            let now = Moment::at_millis(millis);
            match does {
                Does::Answered(count) => {
                    engine.fold(now, count);
                    if count > 0 {
                        model.window.spread(model.told, now, count);
                    }
                    model.told = now;
                }
                Does::Spend => {
                    let allowed = model.left(now) > 0;
                    prop_assert_eq!(engine.try_spend(now), allowed);
                    if allowed {
                        model.window.record(now, 0, 1);
                        spent.push(now);
                    }
                }
                Does::Refund(which) => {
                    if which < spent.len() {
                        let then = spent.remove(spent.len() - 1 - which);
                        engine.refund(then);
                        model.window.take_back(then);
                    }
                }
                Does::Reconfigure((billionths, share), window, floor) => {
                    let window = Duration::from_millis(window);
                    engine.reconfigure(share, window, floor);
                    (model.billionths, model.floor) = (billionths, floor);
                    if window != length {
                        length = window;
                        model.window.resize(window);
                        // Of these only the tenth is known.
                        spent.clear();
                    }
                }
            }
            prop_assert_eq!(u128::from(engine.left(now)), model.left(now));
        }
        Ok(())
    });
}

/// The bucket starts full, a retry takes one, a success gives some back, and so does time: one
/// whole token whenever it was not full for so long.
struct Bucket {
    level: u128,
    full: u128,
    per_success: u128,
    every: u64,
    now: u64,
    /// How long it was not full since time last gave a token.
    lacking: u64,
}

impl Bucket {
    /// Millisecond by millisecond.
    fn pass(&mut self, millis: u64) {
        for _ in 0..millis {
            self.now += 1;
            if self.level >= self.full {
                continue;
            }
            self.lacking += 1;
            if self.lacking >= self.every {
                self.lacking = 0;
                self.put(BILLION);
            }
        }
    }

    fn put(&mut self, billionths: u128) {
        self.level = (self.level + billionths).min(self.full);
        if self.level == self.full {
            self.lacking = 0;
        }
    }
}

#[derive(Clone, Debug)]
enum Token {
    Succeeded,
    Spend,
    Refund,
    Reconfigure(u32, (u64, f64), u64),
    Look,
}

#[test]
fn g1_a_bucket_holds_what_the_rule_puts_in() {
    let does = prop_oneof![
        5 => Just(Token::Succeeded),
        6 => Just(Token::Spend),
        1 => Just(Token::Refund),
        1 => (1..5_u32, shares(1), 1..300_u64)
            .prop_map(|(max, share, every)| Token::Reconfigure(max, share, every)),
        2 => Just(Token::Look),
    ];
    let waits = prop_oneof![2 => Just(0), 6 => 0..60_u64, 1 => 0..900_u64];
    let scripts = (1..5_u32, shares(1), 1..300_u64, vec((waits, does), 1..80));
    play_all(scripts, |(max, (billionths, share), every, script)| {
        let mut millis = 0;
        let start = Moment::at_millis(millis);
        let engine = Tokens::new(max, share, Duration::from_millis(every), start);
        let full = u128::from(max) * BILLION;
        let mut model = Bucket {
            level: full,
            full,
            per_success: u128::from(billionths),
            every,
            now: 0,
            lacking: 0,
        };
        for (wait, does) in script {
            millis += wait;
            model.pass(wait);
            let now = Moment::at_millis(millis);
            match does {
                Token::Succeeded => {
                    engine.succeeded();
                    model.put(model.per_success);
                }
                Token::Spend => {
                    let allowed = model.level >= BILLION;
                    prop_assert_eq!(engine.try_spend(now), allowed);
                    if allowed {
                        model.level -= BILLION;
                    }
                }
                Token::Refund => {
                    engine.refund();
                    model.put(BILLION);
                }
                Token::Reconfigure(max, (billionths, share), every) => {
                    engine.reconfigure(max, share, Duration::from_millis(every), now);
                    if every != model.every {
                        // Time that has begun was that of the other number.
                        model.lacking = 0;
                    }
                    model.every = every;
                    model.per_success = u128::from(billionths);
                    model.full = u128::from(max) * BILLION;
                    model.put(0);
                }
                Token::Look => {
                    prop_assert_eq!(u128::from(engine.left(now)), model.level / BILLION);
                }
            }
        }
        let now = Moment::at_millis(millis);
        prop_assert_eq!(u128::from(engine.left(now)), model.level / BILLION);
        Ok(())
    });
}
