//! A connection that can be cut, between a client and a server that both live on.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A port that leads to another one, unless it is cut.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    cut: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// A new port that leads to `target` on the loopback interface.
    pub async fn to(target: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let (cut, watched) = watch::channel(false);
        let target = SocketAddr::from((Ipv4Addr::LOCALHOST, target));
        let task = tokio::spawn(accept(listener, target, watched));
        Ok(Proxy { port, cut, task })
    }

    /// Where clients connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and new ones as soon as they are made.
    pub fn cut(&self) {
        self.cut.send_replace(true);
    }

    /// Lets connections through again.
    pub fn mend(&self) {
        self.cut.send_replace(false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, cut: watch::Receiver<bool>) {
    while let Ok((client, _)) = listener.accept().await {
        if !*cut.borrow() {
            tokio::spawn(lead(client, target, cut.clone()));
        }
    }
}

async fn lead(mut client: TcpStream, target: SocketAddr, mut cut: watch::Receiver<bool>) {
    let Ok(mut server) = TcpStream::connect(target).await else {
        return;
    };
    tokio::select! {
        // Whichever side ends it: the other one notices when both streams are dropped here.
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = cut.wait_for(|cut| *cut) => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_cut_ends_old_connections_and_new_ones() -> io::Result<()> {
        let echo = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let proxy = Proxy::to(echo.local_addr()?.port()).await?;
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = echo.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    let _ = tokio::io::copy(&mut from, &mut to).await;
                });
            }
        });
        let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port()));
        let mut through = connect().await?;
        through.write_all(b"x").await?;
        assert_eq!(through.read_u8().await?, b'x');
        proxy.cut();
        assert!(through.read_u8().await.is_err());
        assert!(connect().await?.read_u8().await.is_err());
        proxy.mend();
        let mut again = connect().await?;
        again.write_all(b"y").await?;
        assert_eq!(again.read_u8().await?, b'y');
        Ok(())
    }
}
