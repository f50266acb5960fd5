//! Windows that remember every single outcome.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;

use super::{Buckets, Latest};
use crate::reference::play_all;
use crate::seam::clock::{Moment, nanos};

/// "Those of the last so much time; the oldest tenth of it leaves at once." Tenths are counted from
/// the first outcome on.
#[derive(Clone, Debug)]
pub(crate) struct LastTime {
    width: i128,
    origin: Option<i128>,
    /// The tenth of the latest look.
    current: i128,
    outcomes: Vec<Outcome>,
}

#[derive(Clone, Copy, Debug)]
struct Outcome {
    tenth: i128,
    bad: bool,
}

impl LastTime {
    pub(crate) fn new(window: Duration) -> Self {
        LastTime {
            width: i128::from((nanos(window) / 10).max(1)),
            origin: None,
            current: 0,
            outcomes: Vec::new(),
        }
    }

    pub(crate) fn record(&mut self, now: Moment, good: u64, bad: u64) {
        self.look(now);
        self.push(self.current, good, bad);
    }

    /// So many successes since `from`: the last one now, the others before it, all as far apart.
    pub(crate) fn spread(&mut self, from: Moment, now: Moment, good: u64) {
        self.look(now);
        let elapsed = i128::from(nanos(now.since(from)));
        if elapsed <= self.width {
            self.push(self.current, good, 0);
            return;
        }
        let origin = self.origin.expect("it was looked at");
        for number in 1..=i128::from(good) {
            // In parts of a nanosecond, so that nothing is rounded.
            let parts = i128::from(good);
            let after_origin = (at(from) - origin) * parts + number * elapsed;
            let tenth = div_ceil(after_origin, self.width * parts) - 1;
            self.push(tenth.min(self.current), 1, 0);
        }
    }

    /// Good and bad.
    pub(crate) fn totals(&mut self, now: Moment) -> (u64, u64) {
        if self.origin.is_some() {
            self.look(now);
        }
        let bad = self.outcomes.iter().filter(|outcome| outcome.bad).count();
        ((self.outcomes.len() - bad) as u64, bad as u64)
    }

    /// Forgets one bad outcome of that time, if it is still in the window.
    pub(crate) fn take_back(&mut self, then: Moment) {
        let Some(origin) = self.origin else { return };
        let tenth = (at(then) - origin).div_euclid(self.width);
        let is_it = |outcome: &Outcome| outcome.bad && outcome.tenth == tenth;
        if let Some(index) = self.outcomes.iter().position(is_it) {
            self.outcomes.remove(index);
        }
    }

    /// Looks back another time from now on: what is known of an outcome is when its tenth began.
    pub(crate) fn resize(&mut self, window: Duration) {
        let mut resized = LastTime::new(window);
        if let Some(origin) = self.origin {
            let oldest = origin + (self.current - 9) * self.width;
            resized.origin = Some(oldest);
            resized.current = 9 * self.width / resized.width;
            for outcome in &self.outcomes {
                let tenth = (outcome.tenth - self.current + 9) * self.width / resized.width;
                resized.outcomes.push(Outcome { tenth, ..*outcome });
            }
            resized.forget();
        }
        *self = resized;
    }

    pub(crate) fn clear(&mut self) {
        self.origin = None;
        self.current = 0;
        self.outcomes.clear();
    }

    fn look(&mut self, now: Moment) {
        let origin = *self.origin.get_or_insert(at(now));
        self.current = self.current.max((at(now) - origin).div_euclid(self.width));
        self.forget();
    }

    fn forget(&mut self) {
        let oldest = self.current - 9;
        self.outcomes.retain(|outcome| outcome.tenth >= oldest);
    }

    fn push(&mut self, tenth: i128, good: u64, bad: u64) {
        for (count, bad) in [(good, false), (bad, true)] {
            let outcome = Outcome { tenth, bad };
            self.outcomes.extend(std::iter::repeat_n(
                outcome,
                usize::try_from(count).expect("few"),
            ));
        }
        self.forget();
    }
}

fn at(moment: Moment) -> i128 {
    i128::from(moment.to_bits())
}

fn div_ceil(part: i128, whole: i128) -> i128 {
    -(-part).div_euclid(whole)
}

/// "The last so many that were counted; each new one pushes out the oldest."
#[derive(Clone, Debug)]
pub(crate) struct LastSoMany {
    length: usize,
    bad: VecDeque<bool>,
    /// Whether one was ever pushed out by being one too many.
    recorded: u64,
}

impl LastSoMany {
    pub(crate) fn new(length: u32) -> Self {
        LastSoMany {
            length: length as usize,
            bad: VecDeque::new(),
            recorded: 0,
        }
    }

    pub(crate) fn record(&mut self, bad: bool) {
        self.bad.push_back(bad);
        self.recorded += 1;
        self.forget();
    }

    pub(crate) fn totals(&self) -> (u64, u64) {
        let bad = self.bad.iter().filter(|bad| **bad).count();
        ((self.bad.len() - bad) as u64, bad as u64)
    }

    /// How many were recorded, whether they are still in it or not.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    pub(crate) fn resize(&mut self, length: u32) {
        self.length = length as usize;
        self.forget();
    }

    pub(crate) fn clear(&mut self) {
        self.bad.clear();
        self.recorded = 0;
    }

    fn forget(&mut self) {
        while self.bad.len() > self.length {
            self.bad.pop_front();
        }
    }
}

#[derive(Clone, Debug)]
enum Does {
    Record(u64, u64),
    /// Successes since so long ago.
    Spread(u64, u64),
    /// The bad one that many steps ago.
    TakeBack(usize),
    Resize(u64),
    Clear,
    /// A thread that read its clock so much earlier.
    Late(u64, u64),
    Look,
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        6 => (0..4_u64, 0..3_u64).prop_map(|(good, bad)| Does::Record(good, bad)),
        3 => (0..3_000_u64, 0..50_u64).prop_map(|(ago, good)| Does::Spread(ago, good)),
        1 => (0..5_usize).prop_map(Does::TakeBack),
        1 => (1..3_000_u64).prop_map(Does::Resize),
        1 => Just(Does::Clear),
        1 => (0..500_u64, 0..3_u64).prop_map(|(ago, bad)| Does::Late(ago, bad)),
        2 => Just(Does::Look),
    ]
}

#[test]
fn a_window_of_time_remembers_what_a_list_of_all_outcomes_would() {
    let scripts = (
        1..3_000_u64,
        prop::collection::vec((0..400_u64, does()), 1..60),
    );
    play_all(scripts, |(window, script)| {
        let window = Duration::from_millis(window);
        let (mut engine, mut model) = (Buckets::new(window), LastTime::new(window));
        let mut millis = 10_000;
        let mut bad_at = Vec::new();
        for (wait, does) in script {
            millis += wait;
            let now = Moment::at_millis(millis);
            match does {
                Does::Record(good, bad) => {
                    engine.record(now, good, bad);
                    model.record(now, good, bad);
                    bad_at.extend((0..bad).map(|_| now));
                }
                Does::Spread(ago, good) => {
                    let from = Moment::at_millis(millis - ago);
                    engine.spread(from, now, good);
                    model.spread(from, now, good);
                }
                Does::TakeBack(which) => {
                    if which < bad_at.len() {
                        let then = bad_at.swap_remove(bad_at.len() - 1 - which);
                        engine.take_back(then, 1);
                        model.take_back(then);
                    }
                }
                Does::Resize(window) => {
                    let window = Duration::from_millis(window);
                    engine = engine.with_window(window);
                    model.resize(window);
                    // Of these only the tenth is known.
                    bad_at.clear();
                }
                Does::Clear => {
                    engine.clear();
                    model.clear();
                    bad_at.clear();
                }
                Does::Late(ago, bad) => {
                    let then = Moment::at_millis(millis - ago);
                    engine.record(then, 0, bad);
                    model.record(then, 0, bad);
                }
                Does::Look => {}
            }
            prop_assert_eq!(engine.totals(now), model.totals(now));
            prop_assert_eq!(engine.outlooks().next(), Some(model.totals(now)));
        }
        Ok(())
    });
}

/// What users are told, whatever the tenths: "what is remembered spans between 9/10 of it and all
/// of it".
#[test]
fn a_window_of_time_spans_nine_tenths_of_it_at_least_and_all_of_it_at_most() {
    let steps = prop::collection::vec((0..400_u64, any::<bool>()), 1..80);
    play_all((10..3_000_u64, steps), |(window, script)| {
        let window = window / 10 * 10;
        let mut engine = Buckets::new(Duration::from_millis(window));
        let mut all = Vec::new();
        let mut now = 10_000;
        for (wait, bad) in script {
            now += wait;
            engine.record(Moment::at_millis(now), u64::from(!bad), u64::from(bad));
            all.push((now, bad));
            let (good, bad) = engine.totals(Moment::at_millis(now));
            for (found, is_bad) in [(good, false), (bad, true)] {
                let of_last = |length: u64| {
                    let last = |(at, bad): &&(u64, bool)| *bad == is_bad && now - at < length;
                    all.iter().filter(last).count() as u64
                };
                prop_assert!(found >= of_last(window * 9 / 10) && found <= of_last(window));
            }
        }
        Ok(())
    });
}

#[test]
fn a_window_of_attempts_counts_what_a_list_of_the_latest_would() {
    #[derive(Clone, Debug)]
    enum Does {
        Good(u64),
        Bad,
        Resize(u32),
        Clear,
    }
    let does = prop_oneof![
        4 => (0..12_u64).prop_map(Does::Good),
        6 => Just(Does::Bad),
        1 => (1..10_u32).prop_map(Does::Resize),
        1 => Just(Does::Clear),
    ];
    let scripts = (1..10_u32, prop::collection::vec(does, 1..60));
    play_all(scripts, |(mut length, script)| {
        let (mut engine, mut model) = (Latest::new(length), LastSoMany::new(length));
        for does in script {
            match does {
                Does::Good(count) => {
                    engine.good(count);
                    (0..count).for_each(|_| model.record(false));
                }
                Does::Bad => {
                    engine.bad();
                    model.record(true);
                }
                Does::Resize(other) => {
                    length = other;
                    engine.resize(length);
                    model.resize(length);
                }
                Does::Clear => {
                    engine.clear();
                    model.clear();
                }
            }
            prop_assert_eq!(engine.totals(), model.totals());
            prop_assert_eq!(engine.has_slid(), model.recorded() > u64::from(length));
        }
        Ok(())
    });
}
