//! Rule S1 in plain numbers.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::config::ThrottleSettings;
use super::engine::Engine;
use crate::reference::play_all;
use crate::seam::clock::Moment;
use crate::window::reference::LastTime;

#[derive(Clone, Debug)]
enum Does {
    /// So many were accepted, nobody having taken down when.
    Accepted(u64),
    /// One failed, ran out of time, or was shed.
    Missed,
    Look,
    Reconfigure(ThrottleSettings),
}

fn settings() -> impl Strategy<Value = ThrottleSettings> {
    let multiplier = prop_oneof![Just(1.0), Just(2.0), 1.0..10.0_f64];
    let most = prop_oneof![Just(0.9), Just(1.0), 0.01..1.0_f64];
    (multiplier, 1..3_000_u64, most).prop_map(|(multiplier, window, max_rejection)| {
        ThrottleSettings {
            multiplier,
            window: Duration::from_millis(window),
            max_rejection,
        }
    })
}

/// The probability max(0, (requests - k * accepts) / (requests + 1)), `max_rejection` at the most.
#[allow(clippy::cast_precision_loss)]
fn probability(window: &mut LastTime, settings: &ThrottleSettings, now: Moment) -> f64 {
    let (accepts, others) = window.totals(now);
    let (requests, accepts) = ((accepts + others) as f64, accepts as f64);
    let probability = (requests - settings.multiplier * accepts) / (requests + 1.0);
    probability.max(0.0).min(settings.max_rejection)
}

#[test]
#[allow(clippy::float_cmp)] // the same numbers, joined in the same way
fn s1_what_is_shed_is_what_the_formula_says() {
    let does = prop_oneof![
        4 => (0..30_u64).prop_map(Does::Accepted),
        6 => Just(Does::Missed),
        3 => Just(Does::Look),
        1 => settings().prop_map(Does::Reconfigure),
    ];
    let scripts = (settings(), vec((0..400_u64, does), 1..80));
    play_all(scripts, |(mut settings, script)| {
        let mut millis = 0;
        let start = Moment::at_millis(millis);
        let mut engine = Engine::new(settings, start);
        let mut window = LastTime::new(settings.window);
        let mut told = start;
        for (wait, does) in script {
            millis += wait;
            let now = Moment::at_millis(millis);
            match does {
                Does::Accepted(count) => {
                    engine.fold(now, count);
                    if count > 0 {
                        window.spread(told, now, count);
                    }
                    told = now;
                }
                Does::Missed => {
                    engine.missed(now);
                    window.record(now, 0, 1);
                }
                Does::Look => {}
                Does::Reconfigure(other) => {
                    engine.reconfigure(other);
                    if other.window != settings.window {
                        window.resize(other.window);
                    }
                    settings = other;
                }
            }
            let share = engine.share(now);
            prop_assert_eq!(share, probability(&mut window, &settings, now));
        }
        Ok(())
    });
}
