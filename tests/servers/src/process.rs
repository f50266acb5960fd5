//! A server process that ends with its owner.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;

/// A server process. It is killed when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
}

impl Server {
    /// Starts it, without any output.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Server { child })
    }

    /// Ends it without a chance to tidy up (SIGKILL), and waits until it is gone.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Stops it where it is (SIGSTOP): connections stay open and nothing answers.
    pub fn freeze(&self) -> io::Result<()> {
        self.signal(Signal::SIGSTOP)
    }

    /// Lets it go on (SIGCONT).
    pub fn thaw(&self) -> io::Result<()> {
        self.signal(Signal::SIGCONT)
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        let id = i32::try_from(self.child.id()).map_err(io::Error::other)?;
        signal::kill(Pid::from_raw(id), signal).map_err(io::Error::from)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already is no news.
        let _ = self.kill();
    }
}

/// A port of the loopback interface that nobody listens on now.
pub fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}
