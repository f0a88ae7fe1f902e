//! In place of the program where this build has none: there is no agent.

use super::connection::Connection;
use super::records::Ports;
use flowstart_live::links::Lateness;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;

/// The type without a value.
pub enum Agent {}

impl Agent {
    /// Always an error.
    pub fn start(_: u64) -> io::Result<Agent> {
        Err(io::Error::other(
            "this build has no BPF program: the feature `bpf` has",
        ))
    }

    /// A name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Looks after the sender of a socket.
    pub fn attend(&self, _: Ports, _: OwnedFd, _: Connection) -> io::Result<Receiver<()>> {
        match *self {}
    }

    /// Gives it back.
    pub fn release(&self, _: Ports) -> io::Result<Option<Box<Connection>>> {
        match *self {}
    }

    /// Ends.
    pub fn stop(self) -> Lateness {
        match self {}
    }
}
