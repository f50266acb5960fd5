//! What happens to an attempt in place of the dependency, where faults are injected.

use std::pin::Pin;
use std::task::Context;

use super::Call;
use crate::seam::clock;
use crate::seam::timer::Timer;
use crate::testing::Suffers;

/// A fault in progress.
#[derive(Debug)]
pub(super) enum Fault {
    Error,
    /// Until the timer fires, the body is not polled.
    Latency(Pin<Box<Timer>>),
    Hang,
}

/// What a fault does to the body now.
pub(super) enum Suffered {
    /// The body may be polled.
    Nothing,
    /// The body is pending, as far as anyone can tell.
    Pending,
    /// The body has failed.
    Error,
}

impl Call {
    /// Draws what the attempt that was just admitted suffers.
    pub(super) fn draw_fault(&self) -> Option<Box<Fault>> {
        let suffers = self.plan.get()?.draw_fault()?;
        Some(Box::new(match suffers {
            Suffers::Error => Fault::Error,
            Suffers::Hang => Fault::Hang,
            Suffers::Latency(latency) => {
                let mut timer = Box::pin(Timer::default());
                timer.as_mut().arm(clock::now().plus(latency));
                Fault::Latency(timer)
            }
        }))
    }
}

/// Lets `fault` act, and ends it when it has.
pub(super) fn suffer(fault: &mut Option<Box<Fault>>, cx: &mut Context<'_>) -> Suffered {
    match fault.as_deref_mut() {
        None => Suffered::Nothing,
        Some(Fault::Error) => {
            *fault = None;
            Suffered::Error
        }
        Some(Fault::Hang) => Suffered::Pending,
        Some(Fault::Latency(timer)) => {
            let passed = timer.as_mut().poll(cx);
            if passed.is_pending() {
                return Suffered::Pending;
            }
            *fault = None;
            Suffered::Nothing
        }
    }
}
