//! A dependency that fails on cue: an HTTP server on loopback whose behaviour is a script.
//!
//! It answers with errors, stalls, resets connections or disappears, as told, counts what arrived in
//! each phase, and keeps the books of a payment provider, so that an example can show afterwards
//! what its calls did to the other side.
//!
//! ```ignore
//! let server = ScriptedServer::start().await?;          // healthy at first
//! server.enter(Phase::Unavailable).await?;              // change by command,
//! server.play(&[(Phase::Dead, SECOND), (Phase::Healthy, SECOND)]).await?; // or by time
//! ```

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every example compiles this module for itself and uses a part of it"
)]

mod answer;
mod connection;
mod desk;
mod journal;
mod ledger;
mod listening;
mod phase;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

pub use journal::Entry;
pub use ledger::Ledger;
pub use phase::Phase;

use desk::Desk;
use listening::Listening;

/// The server. It stops when dropped.
pub struct ScriptedServer {
    address: SocketAddr,
    desk: Arc<Desk>,
    /// `None` while dead. Held locked through a change of phase, so that changes come one by one.
    listening: Mutex<Option<Listening>>,
}

impl ScriptedServer {
    /// Starts a healthy server on a free port of 127.0.0.1.
    pub async fn start() -> io::Result<Self> {
        let desk = Arc::new(Desk::opened_in(Phase::Healthy));
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listening = Listening::on(anywhere, Arc::clone(&desk)).await?;
        Ok(ScriptedServer {
            address: listening.address(),
            desk,
            listening: Mutex::new(Some(listening)),
        })
    }

    /// The address of `path` on this server; `path` starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Behaves as `phase` says from the next request on.
    ///
    /// Requests that stall already keep stalling until their client gives up or the server dies.
    ///
    /// # Errors
    /// Coming back from the dead fails if another process took the port meanwhile.
    pub async fn enter(&self, phase: Phase) -> io::Result<()> {
        let mut listening = self.listening.lock().await;
        if phase == Phase::Dead {
            self.desk.enter(phase);
            if let Some(listening) = listening.take() {
                listening.close().await;
            }
        } else {
            if listening.is_none() {
                *listening = Some(Listening::on(self.address, Arc::clone(&self.desk)).await?);
            }
            self.desk.enter(phase);
        }
        Ok(())
    }

    /// Goes through the phases, each for its time, and stays in the last.
    pub async fn play(&self, script: &[(Phase, Duration)]) -> io::Result<()> {
        for &(phase, time) in script {
            self.enter(phase).await?;
            tokio::time::sleep(time).await;
        }
        Ok(())
    }

    /// What arrived so far, phase by phase.
    pub fn journal(&self) -> Vec<Entry> {
        self.desk.journal()
    }

    /// How many requests arrived so far.
    pub fn requests(&self) -> u64 {
        self.journal().iter().map(|entry| entry.requests).sum()
    }

    /// The books as they stand.
    pub fn ledger(&self) -> Ledger {
        self.desk.ledger()
    }
}
