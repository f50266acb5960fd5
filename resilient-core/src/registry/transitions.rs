//! State changes of breakers, told to whoever asked.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::breaker::{Announcer, Transition};
use crate::telemetry;

/// Transitions a subscriber may lag behind before it loses the oldest.
const CAPACITY: usize = 256;

/// The sending side, one per registry.
#[derive(Clone, Debug)]
pub(super) struct Announcements {
    sender: broadcast::Sender<Transition>,
}

impl Default for Announcements {
    fn default() -> Self {
        Announcements {
            sender: broadcast::Sender::new(CAPACITY),
        }
    }
}

impl Announcements {
    pub(super) fn announcer(&self) -> Announcer {
        let sender = self.sender.clone();
        Arc::new(move |transition: &Transition| {
            telemetry::breaker_state(transition);
            // Fails only if nobody listens.
            let _ = sender.send(transition.clone());
        })
    }

    pub(super) fn subscribe(&self) -> Transitions {
        Transitions {
            receiver: self.sender.subscribe(),
            missed: 0,
        }
    }
}

/// State changes of all breakers of a registry, in order.
///
/// Bounded: a subscriber that falls 256 transitions behind loses the oldest and can see how many
/// in [`Transitions::missed`]. Breakers never wait for subscribers.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("payment"))?;
/// let mut transitions = registry.subscribe();
/// registry.breaker("payment")?.force_open();
/// let Some(opened) = transitions.recv().await else { return Ok(()) };
/// assert_eq!(&*opened.dependency, "payment");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Transitions {
    receiver: broadcast::Receiver<Transition>,
    missed: u64,
}

impl Transitions {
    /// The next transition; `None` once the registry is gone. Cancel safe.
    pub async fn recv(&mut self) -> Option<Transition> {
        loop {
            match self.receiver.recv().await {
                Ok(transition) => return Some(transition),
                Err(broadcast::error::RecvError::Lagged(count)) => {
                    self.missed = self.missed.saturating_add(count);
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// How many transitions this subscriber was too slow for.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}
