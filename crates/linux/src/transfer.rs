//! One transfer between two hosts: sockets, and the threads that read and write.

use crate::namespace::Host;
use crate::sys;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// The port that waits for a connection.
pub(crate) const PORT: u16 = 5001;
/// Programs come before what else the machine does, and behind agent and emulator.
pub(crate) const PRIORITY: i32 = 20;
/// Bytes that are written and read at once.
const PIECE: usize = 1 << 20;

/// How the sender's socket is set up, before its connection opens.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Its congestion control.
    pub control: String,
    /// The kernel spaces its packets out.
    pub paced: bool,
}

impl Setup {
    fn apply(&self, socket: &OwnedFd) -> io::Result<()> {
        let congestion = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
        sys::set_text(socket, congestion, &self.control).map_err(|e| {
            let problem = format!(
                "the kernel has no congestion control `{}`: {e}",
                self.control
            );
            io::Error::new(e.kind(), problem)
        })?;
        if self.paced {
            // Without fq this turns the kernel's own pacing on, and limits nothing.
            let rate = (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE);
            sys::set_option(socket, rate, &100_000_000_000_u64)?;
        }
        Ok(())
    }
}

/// A socket that is closed is gone, also where its process was killed: one that waits for its peer
/// would keep its namespace for a minute. Sockets that it accepts do the same.
fn leave_at_once(socket: &OwnedFd) -> io::Result<()> {
    let linger = (libc::SOL_SOCKET, libc::SO_LINGER);
    let none = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    sys::set_option(socket, linger, &none)
}

/// A socket of this thread's network that waits for connections, or is to open one.
fn socket(setup: Option<&Setup>, waits: bool) -> io::Result<OwnedFd> {
    let socket = sys::socket(libc::SOCK_STREAM)?;
    leave_at_once(&socket)?;
    setup.map_or(Ok(()), |setup| setup.apply(&socket))?;
    match waits {
        true => sys::listen(&socket, PORT)?,
        false => sys::bind(&socket)?,
    }
    Ok(socket)
}

/// A socket that waits for connections to a host, whose senders are set up so.
pub(crate) fn listener(host: &Host, setup: &Setup) -> io::Result<OwnedFd> {
    host.run(|| socket(Some(setup), true))
}

/// A socket of this thread's network that opens a connection.
pub(crate) fn opener() -> io::Result<OwnedFd> {
    socket(None, false)
}

/// Something that ended at a time, nanoseconds of the monotonic clock.
pub(crate) type Ended<T> = (u64, io::Result<T>);

/// The sockets of one transfer, of which one waits for the other's connection.
pub(crate) struct Ends {
    /// The sender's.
    pub sender: Arc<OwnedFd>,
    /// The receiver's.
    pub receiver: Arc<OwnedFd>,
    by_receiver: bool,
}

impl Ends {
    /// Sockets of these hosts, of sender and receiver.
    pub(crate) fn new(
        [sender, receiver]: [&Host; 2],
        setup: &Setup,
        by_receiver: bool,
    ) -> io::Result<Ends> {
        let make = |host: &Host, setup: Option<&Setup>, waits: bool| {
            host.run(|| socket(setup, waits)).map(Arc::new)
        };
        Ok(Ends {
            sender: make(sender, Some(setup), by_receiver)?,
            receiver: make(receiver, None, !by_receiver)?,
            by_receiver,
        })
    }

    /// The connection as its sender has it, once it may send; the receiver opens it to `server` or
    /// waits for it on a separate thread, and reads.
    pub(crate) fn open(&self, server: Ipv4Addr) -> io::Result<(OwnedFd, Receiver<Ended<u64>>)> {
        let (receiver, by_receiver) = (self.receiver.clone(), self.by_receiver);
        let read = read(move || match by_receiver {
            true => {
                sys::connect(&receiver, server, PORT)?;
                receiver.try_clone()
            }
            false => sys::accept(&receiver),
        });
        let sending = match self.by_receiver {
            true => sys::accept(&self.sender)?,
            false => {
                sys::connect(&self.sender, server, PORT)?;
                self.sender.try_clone()?
            }
        };
        Ok((sending, read))
    }

    /// Ends whatever threads wait for.
    pub(crate) fn shut(&self) {
        sys::shut(&self.sender);
        sys::shut(&self.receiver);
    }
}

/// Writes so many bytes and no more, on a separate thread.
pub(crate) fn write(socket: OwnedFd, size: u64) -> Receiver<Ended<()>> {
    let mut stream = TcpStream::from(socket);
    on_thread(move || {
        fill(&mut stream, &[], size)?;
        stream.shutdown(Shutdown::Write)
    })
}

/// Writes a head and so many bytes behind it.
pub(crate) fn fill(stream: &mut impl Write, head: &[u8], size: u64) -> io::Result<()> {
    let mut piece = head.to_vec();
    piece.resize(head.len() + PIECE, 0x5a);
    let mut left = head.len() as u64 + size;
    // The head leaves with the first bytes behind it.
    let mut from = 0;
    while left > 0 {
        let most = (piece.len() - from).min(usize::try_from(left).unwrap_or(usize::MAX));
        let written = stream.write(&piece[from..from + most])?;
        left -= written as u64;
        from = (from + written).min(head.len());
    }
    Ok(())
}

/// Reads a connection to its end, on a separate thread: how many bytes there were. The time is that
/// of the last of them.
fn read(open: impl FnOnce() -> io::Result<OwnedFd> + Send + 'static) -> Receiver<Ended<u64>> {
    let (told, ended) = mpsc::channel();
    thread::spawn(move || {
        let (mut last, mut count) = (0, 0);
        let result = open().and_then(|socket| {
            let mut stream = TcpStream::from(socket);
            let mut piece = vec![0; PIECE];
            loop {
                match stream.read(&mut piece) {
                    Ok(0) => return Ok(count),
                    Ok(bytes) => (last, count) = (sys::monotonic(), count + bytes as u64),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
        });
        // Nobody may wait for it any more.
        let _ = told.send((last, result));
    });
    ended
}

fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Receiver<Ended<T>> {
    let (told, ended) = mpsc::channel();
    thread::spawn(move || {
        let result = work();
        // Nobody may wait for it any more.
        let _ = told.send((sys::monotonic(), result));
    });
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes at once.
    struct Narrow(Vec<u8>, usize);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.1);
            self.0.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_head_is_written_once_and_so_many_bytes_behind_it() {
        for (size, at_once) in [(0, 3), (10, 2), (3 << 20, 100_000), (3 << 20, 5 << 20)] {
            let mut written = Narrow(Vec::new(), at_once);
            fill(&mut written, b"head", size).unwrap();
            assert_eq!(written.0.len() as u64, 4 + size);
            assert!(written.0.starts_with(b"head"));
            assert!(written.0[4..].iter().all(|byte| *byte == 0x5a));
        }
    }
}
