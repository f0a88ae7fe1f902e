//! One path of a stack's connection: what the controllers of quinn and noq have in common.
//!
//! Both stacks make a controller for every path, and copy it where the application reads a
//! connection's congestion state and where a connection moves to another path.

use crate::{Adapter, Gate, Startup};
use flowstart_control::{Duration, Instant};

/// The gate of one path.
#[derive(Debug)]
pub struct Path {
    startup: Startup,
    gate: Gate,
    mtu: u16,
    /// It is a copy of another path's, to be looked at. One that is used begins afresh, since a
    /// path has no meaning for another.
    borrowed: bool,
}

impl Path {
    /// One on which nothing was sent, in datagrams of `mtu` bytes of UDP payload.
    pub fn new(startup: Startup, mtu: u16, now: std::time::Instant) -> Path {
        Path {
            gate: startup.gate(mtu, now),
            startup,
            mtu,
            borrowed: false,
        }
    }

    /// A copy.
    pub fn borrow(&self) -> Path {
        Path {
            startup: self.startup.clone(),
            gate: self.gate.clone(),
            mtu: self.mtu,
            borrowed: true,
        }
    }

    /// What its stack sees.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// A time as its adapter counts it.
    pub fn time(&self, at: std::time::Instant) -> Instant {
        self.gate.time(at)
    }

    /// The adapter, which is this path's own from now on.
    pub fn own<T>(&mut self, change: impl FnOnce(&mut Adapter) -> T) -> T {
        change(&mut self.owned().adapter().lock())
    }

    /// Changes the adapter before the stack reads the window again, which is published.
    fn own_sending(&mut self, change: impl FnOnce(&mut Adapter)) {
        let gate = self.owned();
        let mut adapter = gate.adapter().lock();
        change(&mut adapter);
        gate.publish(&mut adapter);
    }

    fn owned(&mut self) -> &Gate {
        if std::mem::take(&mut self.borrowed) {
            self.gate = self.startup.gate(self.mtu, self.gate.origin());
        }
        &self.gate
    }

    /// So many bytes have left, in datagrams that are all but the last of one size. Their numbers
    /// are consecutive up to `largest`, where the stack reports numbers.
    pub fn on_sent(&mut self, now: std::time::Instant, bytes: u64, largest: Option<u64>) {
        let (now, mtu) = (self.time(now), u64::from(self.mtu));
        let count = if bytes > mtu { bytes.div_ceil(mtu) } else { 1 };
        self.own_sending(|a| {
            for behind in (0..count).rev() {
                let datagram = mtu.min(bytes - (count - 1 - behind) * mtu);
                let number = largest.and_then(|largest| largest.checked_sub(behind));
                a.on_sent(number, datagram as u32, now);
            }
        });
        self.gate.on_leaving();
    }

    /// A packet of so many bytes that left at `sent` is acknowledged; `srtt` is the stack's,
    /// before.
    pub fn on_ack(
        &mut self,
        now: std::time::Instant,
        (sent, bytes): (std::time::Instant, u64),
        number: Option<u64>,
        srtt: std::time::Duration,
    ) {
        let (now, sent) = (self.time(now), self.time(sent));
        let srtt = Duration::from_nanos(srtt.as_nanos() as u64);
        self.own(|a| {
            a.on_rtt(srtt, now);
            a.on_packet_acked(number, sent, bytes as u32, now);
        });
    }

    /// An acknowledgement is reported in full.
    pub fn on_end_acks(&mut self, app_limited: bool) {
        if app_limited {
            self.own(Adapter::on_app_limited);
        }
    }

    /// Datagrams have so many bytes of UDP payload from now on.
    pub fn on_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.own(|a| a.on_mtu(mtu));
    }

    /// The window before anything is acknowledged, in bytes of UDP payload.
    pub fn initial_window(&self) -> u64 {
        self.gate.adapter().lock().window_bytes()
    }
}
