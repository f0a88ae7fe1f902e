//! Serialisation at an exact rate: times are whole nanoseconds, but the remainder of
//! every division is carried over, so that a busy link neither gains nor loses.

use super::clock::Clock;
use crate::queue::Backlog;
use flowstart_control::{Instant, Rate};

/// What a transmitter's work takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// No time: a delay and nothing else.
    Instant,
    /// Time for every bit: a line.
    Line(Rate),
    /// A constant time for every packet, at this many a second: a router's processor.
    Packets(u64),
}

impl Service {
    /// The rate of a line, `None` for anything else.
    pub fn line(self) -> Option<Rate> {
        match self {
            Service::Line(rate) => Some(rate),
            Service::Instant | Service::Packets(_) => None,
        }
    }

    /// What divides the work that [`Transmitter`] counts to give nanoseconds.
    fn divisor(self) -> u64 {
        match self {
            Service::Instant => 1,
            Service::Line(rate) => rate.bps(),
            Service::Packets(per_second) => per_second,
        }
    }

    /// The work of a packet, in nanoseconds times the divisor; of up to 2 GB, which no
    /// packet has.
    fn work_of_one(self, wire: u32) -> u64 {
        match self {
            Service::Instant => 0,
            Service::Line(_) => u64::from(wire) * 8_000_000_000,
            Service::Packets(_) => 1_000_000_000,
        }
    }

    /// Work of transmitting several packets.
    fn work(self, packets: Backlog) -> u128 {
        match self {
            Service::Instant => 0,
            Service::Line(_) => u128::from(packets.bytes) * 8_000_000_000,
            Service::Packets(_) => u128::from(packets.packets) * 1_000_000_000,
        }
    }
}

/// The clock of a transmitter.
#[derive(Clone, Debug)]
pub(super) struct Transmitter {
    service: Service,
    divisor: u64,
    /// It is free at `whole` + `part`/`divisor` nanoseconds: `free`, rounded up, so that the rate
    /// is never exceeded.
    whole: u64,
    part: u64,
    free: Instant,
    /// The last packet size and its time, since almost all packets have the same.
    wire: u32,
    time: u64,
    remainder: u64,
}

impl Transmitter {
    pub(super) fn new(service: Service) -> Transmitter {
        Transmitter {
            service,
            divisor: service.divisor(),
            whole: 0,
            part: 0,
            free: Instant::ZERO,
            wire: 0,
            time: 0,
            remainder: 0,
        }
    }
}

impl Clock for Transmitter {
    #[inline]
    fn rest(&mut self, now: Instant) {
        if self.free <= now {
            (self.whole, self.part, self.free) = (now.0, 0, now);
        }
    }

    #[inline]
    fn transmit(&mut self, wire: u32, now: Instant) -> (Instant, Instant) {
        self.rest(now);
        let start = self.free;
        if wire != self.wire {
            let work = self.service.work_of_one(wire);
            self.wire = wire;
            self.time = work / self.divisor;
            self.remainder = work % self.divisor;
        }
        self.whole += self.time;
        self.part += self.remainder;
        if self.part >= self.divisor {
            self.part -= self.divisor;
            self.whole += 1;
        }
        self.free = Instant(self.whole + u64::from(self.part > 0));
        (start, self.free)
    }

    fn free_after(&self, packets: Backlog) -> Instant {
        let divisor = u128::from(self.divisor);
        let work = self.service.work(packets) + u128::from(self.part);
        Instant(self.whole + work.div_ceil(divisor) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_carries_its_remainder() {
        // 1500 bytes at 7 bit/s·10⁹ take 1714 and 2/7 ns: seven of them take 12 000 ns.
        let mut clock = Transmitter::new(Service::Line(Rate(7_000_000_000)));
        let finish: Vec<u64> = (0..7)
            .map(|_| clock.transmit(1500, Instant::ZERO).1.0)
            .collect();
        assert_eq!(finish[0], 1715);
        assert_eq!(finish[6], 12_000);
    }

    #[test]
    fn what_is_to_come_is_foretold_with_its_remainder() {
        let mut clock = Transmitter::new(Service::Line(Rate(7_000_000_000)));
        clock.transmit(1500, Instant::ZERO);
        let six = Backlog {
            packets: 6,
            bytes: 9000,
        };
        assert_eq!(clock.free_after(six), Instant(12_000));
    }

    #[test]
    fn a_processor_takes_the_same_time_for_every_packet() {
        // The Cisco 3640 of the Quick-Start paper forwards 5000 packets a second.
        let mut clock = Transmitter::new(Service::Packets(5000));
        for (wire, end) in [(40, 200), (1500, 400), (1500, 600)] {
            let (_, finish) = clock.transmit(wire, Instant::ZERO);
            assert_eq!(finish, Instant::from_micros(end));
        }
    }
}
