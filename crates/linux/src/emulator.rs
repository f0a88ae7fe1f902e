//! The path between two hosts: a relay reads packets from the TUN device of one, keeps each for as long
//! as the simulator's links would, and writes it to the other's.
//!
//! Links count in the times at which packets came and in their own from then on, so being late with one
//! packet does not make those behind it late.

use crate::namespace::MTU;
use crate::{headers, sys};
use flowstart_control::{Duration, Instant};
use flowstart_live::links::{Datagram, Lateness, Passage, Side, Sort, Wire};
use flowstart_network::moment::Moment;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The relay sleeps up to so long before something is due, and then looks again and again. With more it
/// would never sleep at 200 Mbit/s, and a thread that comes first and never sleeps is held up for 50 ms
/// in every second (`sched_rt_runtime_us`).
const SPIN: std::time::Duration = std::time::Duration::from_micros(15);
/// And never longer than this.
const NAP: std::time::Duration = std::time::Duration::from_millis(5);
/// It comes before everybody else.
const PRIORITY: i32 = 50;

/// What the path did.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// Packets with data that it dropped.
    pub dropped: u64,
    /// How late it was.
    pub lateness: Lateness,
    /// What the data's sender sent and received.
    pub passages: Vec<Passage>,
}

/// A path that works until it is stopped.
pub(crate) struct Emulator {
    stop: Arc<AtomicBool>,
    relay: Option<JoinHandle<io::Result<Passed>>>,
}

impl Emulator {
    /// One between the devices of client and server. Times count from `origin`, nanoseconds of the
    /// monotonic clock.
    pub(crate) fn start(wire: Wire, devices: [OwnedFd; 2], origin: u64) -> Emulator {
        let stop = Arc::new(AtomicBool::new(false));
        let relay = Relay {
            wire,
            devices: devices.map(File::from),
            origin,
            flows: HashMap::new(),
            late: Vec::new(),
            stop: stop.clone(),
        };
        Emulator {
            stop,
            relay: Some(thread::spawn(move || relay.run())),
        }
    }

    /// Whether it has failed.
    pub(crate) fn has_ended(&self) -> bool {
        self.relay.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Stops it.
    pub(crate) fn stop(&mut self) -> io::Result<Passed> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.relay.take().map(JoinHandle::join);
        match ended {
            Some(Ok(passed)) => passed,
            _ => Err(io::Error::other("the emulator ended early")),
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct Relay {
    wire: Wire,
    /// Of the client and of the server.
    devices: [File; 2],
    origin: u64,
    /// Connections by their clients' ports, numbered in the order in which they open.
    flows: HashMap<u16, u32>,
    late: Vec<Duration>,
    stop: Arc<AtomicBool>,
}

impl Relay {
    fn run(mut self) -> io::Result<Passed> {
        sys::come_first(PRIORITY);
        while !self.stop.load(Ordering::Relaxed) {
            self.deliver_due()?;
            if !self.take_in()? {
                self.wait()?;
            }
        }
        Ok(Passed {
            dropped: self.wire.dropped(),
            lateness: Lateness::of(self.late),
            passages: self.wire.passages().to_vec(),
        })
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(sys::monotonic().saturating_sub(self.origin))
    }

    /// Hands over what is due.
    fn deliver_due(&mut self) -> io::Result<()> {
        while let Some(due) = self.wire.next().filter(|due| due.time <= self.now()) {
            let Some((to, datagram)) = self.wire.deliver(due) else {
                continue;
            };
            let mut packet = datagram.payload;
            if datagram.ce {
                headers::mark(&mut packet);
            }
            self.late.push(self.now().since(due.time));
            self.devices[to as usize].write_all(&packet)?;
        }
        Ok(())
    }

    /// Takes in a packet of each host. Whether there was any.
    fn take_in(&mut self) -> io::Result<bool> {
        let mut any = false;
        for side in [Side::Client, Side::Server] {
            let mut packet = vec![0; MTU.into()];
            match self.devices[side as usize].read(&mut packet) {
                Ok(length) => packet.truncate(length),
                Err(e) if e.kind() == ErrorKind::WouldBlock => continue,
                Err(e) => return Err(e),
            }
            any = true;
            // What was due before it came has left before it.
            let now = self.now();
            self.deliver_due()?;
            self.send(side, packet, now);
        }
        Ok(any)
    }

    fn send(&mut self, side: Side, packet: Vec<u8>, now: Instant) {
        let sort = Sort {
            flow: self.flow(side, &packet),
            kind: headers::kind(&packet),
            header: 0,
        };
        let datagram = Datagram {
            ect: headers::is_ecn_capable(&packet),
            payload: packet,
            ce: false,
        };
        let now = Moment {
            time: now,
            cause: now,
        };
        self.wire.send_sort(side, datagram, sort, now);
    }

    fn flow(&mut self, from: Side, packet: &[u8]) -> u32 {
        let Some([sender, receiver]) = headers::ports(packet) else {
            return 0;
        };
        let client = match from {
            Side::Client => sender,
            Side::Server => receiver,
        };
        let next = self.flows.len() as u32;
        *self.flows.entry(client).or_insert(next)
    }

    /// Until a packet comes or shortly before one is due.
    fn wait(&self) -> io::Result<()> {
        let due = self.wire.next().map_or(NAP, |due| {
            std::time::Duration::from_nanos(due.time.since(self.now()).nanos())
        });
        let wait = due.min(NAP).saturating_sub(SPIN);
        if wait.is_zero() {
            std::hint::spin_loop();
            return Ok(());
        }
        let devices = [self.devices[0].as_raw_fd(), self.devices[1].as_raw_fd()];
        sys::wait_readable(&devices, wait)
    }
}
