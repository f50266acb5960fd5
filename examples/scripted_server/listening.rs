//! The listening socket and the connections accepted from it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use super::connection;
use super::desk::Desk;

/// Accepts connections until closed or dropped.
pub struct Listening {
    address: SocketAddr,
    /// Dropping it tells the accepting task to stop.
    stop: oneshot::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Listening {
    pub async fn on(address: SocketAddr, desk: Arc<Desk>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let accepting = tokio::spawn(accept(listener, desk, stopped));
        Ok(Listening {
            address,
            stop,
            accepting,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns once the port refuses connections and the open ones are closed.
    pub async fn close(self) {
        drop(self.stop);
        // It only fails if the accepting task panicked, and then the sockets are closed as well.
        let _ = self.accepting.await;
    }
}

async fn accept(listener: TcpListener, desk: Arc<Desk>, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            accepted = listener.accept() => {
                // An error here concerns a client that left while it was being accepted.
                if let Ok((stream, _)) = accepted {
                    connections.spawn(connection::serve(stream, Arc::clone(&desk)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    connections.shutdown().await;
}
