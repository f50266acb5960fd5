//! The processes that a server has started.

use std::fs;
use std::io;

use nix::errno::Errno;
use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;

/// The children of a process that is stopped, so that it has no more of them meanwhile.
pub(crate) fn children(parent: u32) -> io::Result<Vec<Pid>> {
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))?;
    Ok(listed
        .split_whitespace()
        .filter_map(|id| id.parse().ok())
        .map(Pid::from_raw)
        .collect())
}

pub(crate) fn kill(family: &[Pid]) -> io::Result<()> {
    send(family, Signal::SIGKILL)
}

pub(crate) fn freeze(family: &[Pid]) -> io::Result<()> {
    send(family, Signal::SIGSTOP)
}

pub(crate) fn thaw(family: &[Pid]) -> io::Result<()> {
    send(family, Signal::SIGCONT)
}

fn send(family: &[Pid], signal: Signal) -> io::Result<()> {
    for id in family {
        match signal::kill(*id, signal) {
            // One that has ended by itself needs no signal.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
