//! Captures that take every packet twice: on a router's inner and outer side, or on a host's real and virtual device.
//!
//! No host repeats a SYN or SYN-ACK, unchanged to the last option, within a quarter of a second; nor does it send two
//! packets with the same identification (RFC 6864) and the same content within a millisecond. Where either is seen, the
//! connection is taken twice, and in it a packet that equals a recent one is a copy and is left out. Without an
//! identification, as in IPv6, equal data show the same if at least half of the packets with data come twice within a
//! tenth of a millisecond: no recovery from loss is as fast, nor repeats so much. Elsewhere nothing is left out: equal
//! packets can be honest there (duplicate ACKs without time stamps).

use crate::layers::{SYN, Segment};

#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    last_syn: Option<(u64, u64)>,
    /// The latest packets with an identification and their times, while no copies are known.
    latest: [(u64, u64); LATEST],
    next: usize,
    /// Packets with data and without an identification since the first that came twice, and those that came twice.
    unnamed: u64,
    doubled: u64,
    /// The latest packets of one side, once it is known that there are copies.
    recent: Option<Box<Recent>>,
    pub count: u64,
}

#[derive(Clone, Debug)]
struct Recent {
    prints: [u64; REMEMBERED],
    next: usize,
}

/// Packets that may lie between a packet and its copy: a burst on its way through the host.
const REMEMBERED: usize = 64;
/// No SYN is sent again earlier. ns
const SOONEST: u64 = 250_000_000;
/// Copies are looked for among so many packets while none are known: most follow at once.
const LATEST: usize = 4;
/// Within this time no host uses an identification twice. ns
const TOGETHER: u64 = 1_000_000;
/// So many copies show that the connection is taken twice; a network may double a single packet.
const FEW: u64 = 2;
/// The same without an identification: equal data within this time. ns
const AT_ONCE: u64 = 100_000;
const FEW_UNNAMED: u64 = 3;

impl Copies {
    /// Whether the packet is a copy of one before it from the same side.
    pub(crate) fn is_copy(&mut self, segment: &Segment) -> bool {
        let mut copy = false;
        if segment.has(SYN) {
            copy = self.last_syn.is_some_and(|(print, time)| {
                print == segment.print && segment.time.saturating_sub(time) < SOONEST
            });
            self.last_syn = Some((segment.print, segment.time));
            if copy {
                self.start();
            }
        } else if let Some(recent) = &mut self.recent {
            copy = recent.prints.contains(&segment.print);
            if !copy {
                if let Some(place) = recent.prints.get_mut(recent.next) {
                    *place = segment.print;
                }
                recent.next = (recent.next + 1) % REMEMBERED;
            }
        } else if segment.identified {
            copy = self.is_latest(segment, TOGETHER);
            if copy && self.count + 1 >= FEW {
                self.start();
            }
        } else if segment.payload > 0 {
            copy = self.is_unnamed_copy(segment);
        }
        self.count += u64::from(copy);
        copy
    }

    /// Whether data without an identification equal recent ones, at least half of which have come twice.
    fn is_unnamed_copy(&mut self, segment: &Segment) -> bool {
        let equal = self.is_latest(segment, AT_ONCE);
        self.doubled += u64::from(equal);
        self.unnamed += u64::from(self.doubled > 0 && !equal);
        let copy = equal && self.doubled >= FEW_UNNAMED && self.doubled > self.unnamed;
        if copy {
            self.start();
        }
        copy
    }

    /// Whether one of the latest packets has the same identification and content.
    fn is_latest(&mut self, segment: &Segment, within: u64) -> bool {
        let since = segment.time.saturating_sub(within);
        let mut latest = self.latest.iter();
        if latest.any(|&(print, time)| print == segment.print && time >= since) {
            return true;
        }
        self.latest[self.next] = (segment.print, segment.time);
        self.next = (self.next + 1) % LATEST;
        false
    }

    /// The other side's packets come twice; so do this one's.
    pub(crate) fn start(&mut self) {
        self.recent.get_or_insert_with(|| {
            Box::new(Recent {
                prints: [0; REMEMBERED],
                next: 0,
            })
        });
    }

    pub(crate) fn started(&self) -> bool {
        self.recent.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::tests::plain;

    const SECOND: u64 = 1_000_000_000;

    /// How many of these packets, each with its time and print, count as copies.
    fn copies(packets: &[(u64, u64)]) -> u64 {
        let mut copies = Copies::default();
        for &(time, print) in packets {
            let (payload, identified) = (1000, false);
            copies.is_copy(&Segment {
                time,
                payload,
                print,
                identified,
                ..plain()
            });
        }
        copies.count
    }

    #[test]
    fn data_that_come_twice_at_once_are_copies_without_an_identification_too() {
        let twice: Vec<_> = (0..20u64)
            .map(|n| (SECOND + n / 2 * 1_000_000 + n % 2 * 5000, 1 + n / 2))
            .collect();
        // Three show it.
        assert_eq!(copies(&twice), 8);
    }

    #[test]
    fn few_repetitions_and_slow_ones_are_none() {
        let some: Vec<_> = (0..40u64)
            .map(|n| (SECOND + n * 1000, 1 + n - u64::from(n % 8 == 1)))
            .collect();
        let slow: Vec<_> = (0..20u64)
            .map(|n| (SECOND + n * 200_000, 1 + n / 2))
            .collect();
        assert_eq!((copies(&some), copies(&slow)), (0, 0));
    }
}
