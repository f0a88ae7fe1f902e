//! Real time: datagrams pass through sockets of this machine, and a relay in user space holds each of
//! them for as long as the path's links would.

use crate::ends::Side;
use crate::lateness::Lateness;
use flowstart_control::{Duration, Instant};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};

/// The relay sleeps up to so long before something is due, and then looks at the clock again and
/// again.
const SPIN: std::time::Duration = std::time::Duration::from_micros(150);
/// For how long a datagram may be on its way between two sockets of this machine.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
/// More than any datagram has.
const LARGEST: usize = 1 << 16;

/// The sockets of both ends, and the relay's towards each.
pub(super) struct Loopback {
    ends: [UdpSocket; 2],
    relay: [UdpSocket; 2],
    origin: std::time::Instant,
    late: Vec<Duration>,
}

impl Loopback {
    /// Sockets that know each other; times count from `origin`.
    pub(super) fn new(origin: std::time::Instant) -> io::Result<Loopback> {
        let socket = || {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.set_read_timeout(Some(PATIENCE))?;
            Ok::<_, io::Error>(socket)
        };
        let ends = [socket()?, socket()?];
        let relay = [socket()?, socket()?];
        for (end, relay) in ends.iter().zip(&relay) {
            end.connect(relay.local_addr()?)?;
            relay.connect(end.local_addr()?)?;
        }
        Ok(Loopback {
            ends,
            relay,
            origin,
            late: Vec::new(),
        })
    }

    /// A datagram passes from this side to the relay.
    pub(super) fn to_relay(&self, side: Side, payload: &[u8]) -> io::Result<Vec<u8>> {
        pass(
            &self.ends[side as usize],
            &self.relay[side as usize],
            payload,
        )
    }

    /// And from the relay to this side.
    pub(super) fn to_end(&self, side: Side, payload: &[u8]) -> io::Result<Vec<u8>> {
        pass(
            &self.relay[side as usize],
            &self.ends[side as usize],
            payload,
        )
    }

    /// What the time is.
    pub(super) fn now(&self) -> Instant {
        Instant::from_nanos(self.origin.elapsed().as_nanos() as u64)
    }

    /// Waits until something is due.
    pub(super) fn wait_until(&self, due: Instant) {
        let due = self.origin + std::time::Duration::from_nanos(due.nanos());
        let left = due.saturating_duration_since(std::time::Instant::now());
        if let Some(long) = left.checked_sub(SPIN) {
            std::thread::sleep(long);
        }
        while std::time::Instant::now() < due {
            std::hint::spin_loop();
        }
    }

    /// A datagram that was due then is delivered now.
    pub(super) fn note_delivery(&mut self, due: Instant) {
        self.late.push(self.now().since(due));
    }

    /// Its total lateness.
    pub(super) fn lateness(&mut self) -> Lateness {
        Lateness::of(std::mem::take(&mut self.late))
    }
}

fn pass(from: &UdpSocket, to: &UdpSocket, payload: &[u8]) -> io::Result<Vec<u8>> {
    let mut buffer = [0; LARGEST];
    from.send(payload)?;
    let length = to.recv(&mut buffer)?;
    Ok(buffer[..length].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_sends_reaches_the_other_as_it_was() {
        let loopback = Loopback::new(std::time::Instant::now()).unwrap();
        let relayed = loopback.to_relay(Side::Client, b"datagram").unwrap();
        assert_eq!(
            loopback.to_end(Side::Server, &relayed).unwrap(),
            b"datagram"
        );
    }
}
