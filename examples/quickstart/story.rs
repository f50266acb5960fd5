//! Tells what the library does while it does it, from the events it sends.

use std::mem::{replace, take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tracing::subscriber::SetGlobalDefaultError;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::event::Fields;
use super::scripted_server::Phase;

/// The story so far. Cloning gives another handle to the same story.
#[derive(Clone)]
pub(crate) struct Story {
    began: Instant,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    in_phase: Counts,
    /// Whether failing fast was told since the breaker opened.
    failing_fast: bool,
}

/// What happened in this phase of the dependency, too often to tell all of it.
#[derive(Default)]
struct Counts {
    retries: u32,
    /// Retries not made because the budget was spent.
    unpaid: u32,
    half_open: u32,
    failed_probes: u32,
}

/// How many retries of a phase are told one by one.
const RETRIES_TOLD: u32 = 3;

impl Story {
    pub(crate) fn begin() -> Self {
        Story {
            began: Instant::now(),
            state: Arc::default(),
        }
    }

    /// From now on the library's events are part of the story.
    pub(crate) fn listen(&self) -> Result<(), SetGlobalDefaultError> {
        let listener = tracing_subscriber::registry().with(self.clone());
        tracing::subscriber::set_global_default(listener)
    }

    pub(crate) fn turn_to(&self, phase: Phase) {
        self.end_phase();
        println!("{:4.1} s  THE DEPENDENCY: {phase}", self.seconds());
    }

    /// Tells what happened too often in this phase to be told one by one.
    pub(crate) fn end_phase(&self) {
        let counts = take(&mut self.state().in_phase);
        if counts.retries > RETRIES_TOLD {
            let more = counts.retries - RETRIES_TOLD;
            let retries = if more == 1 { "retry" } else { "retries" };
            self.tell(&format!("... {more} more {retries}"));
        }
        if counts.unpaid > 0 {
            let unpaid = counts.unpaid;
            self.tell(&format!(
                "... {unpaid} retries not made: their budget was spent"
            ));
        }
        if counts.failed_probes > 1 {
            let more = counts.failed_probes - 1;
            let probes = if more == 1 { "probe" } else { "probes" };
            self.tell(&format!("... {more} more {probes} failed"));
        }
    }

    fn retry(&self, failed: &Fields) {
        if self.count(|counts| &mut counts.retries) <= RETRIES_TOLD {
            let (attempt, kind) = (failed.get("attempt"), failed.get("kind"));
            let delay = failed.get("delay_ms");
            self.tell(&format!(
                "attempt {attempt} failed ({kind}), next one in {delay} ms"
            ));
        }
    }

    fn retry_stopped(&self, call: &Fields) {
        if call.get("reason") == "budget" {
            self.count(|counts| &mut counts.unpaid);
        }
    }

    fn breaker_changed(&self, change: &Fields) {
        match change.get("rule") {
            "open_elapsed" => {
                if self.count(|counts| &mut counts.half_open) == 1 {
                    self.tell("breaker half-open: two calls may probe");
                }
            }
            "probe_failed" => {
                if self.count(|counts| &mut counts.failed_probes) == 1 {
                    self.tell("breaker OPEN again: a probe failed");
                }
            }
            "probes_succeeded" => self.tell("breaker CLOSED: the probes were answered"),
            _ => {
                self.state().failing_fast = false;
                let (failures, attempts) = (change.get("failures"), change.get("attempts"));
                self.tell(&format!(
                    "breaker OPEN: {failures} of {attempts} attempts failed"
                ));
            }
        }
    }

    fn rejected(&self, call: &Fields) {
        if call.get("reason") == "breaker_open" && !replace(&mut self.state().failing_fast, true) {
            self.tell(&format!("calls fail fast: {}", call.get("rejection")));
        }
    }

    /// Counts one more of something in this phase and says how many that makes.
    fn count(&self, what: fn(&mut Counts) -> &mut u32) -> u32 {
        let mut state = self.state();
        let count = what(&mut state.in_phase);
        *count += 1;
        *count
    }

    fn tell(&self, line: &str) {
        println!("{:4.1} s    {line}", self.seconds());
    }

    fn seconds(&self) -> f32 {
        self.began.elapsed().as_secs_f32()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Layer<S> for Story {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() != "resilient" {
            return;
        }
        let fields = Fields::of(event);
        match fields.get("message") {
            "retry.attempt" => self.retry(&fields),
            "retry.stopped" => self.retry_stopped(&fields),
            "breaker.state" => self.breaker_changed(&fields),
            "call.rejected" => self.rejected(&fields),
            _ => {}
        }
    }
}
