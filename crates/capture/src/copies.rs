//! Captures that take every packet twice: on a router's inner and outer side, or on a host's real and virtual device.
//!
//! No host repeats a SYN or SYN-ACK, unchanged to the last option, within a quarter of a second; nor does it send two
//! packets with the same identification (RFC 6864) and the same content within a millisecond. Where either is seen, the
//! connection is taken twice, and in it a packet that equals a recent one is a copy and is left out. Elsewhere nothing
//! is left out: equal packets can be honest there (duplicate ACKs without time stamps).

use crate::layers::{Segment, SYN};

#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    last_syn: Option<(u64, u64)>,
    /// The latest packets with an identification and their times, while no copies are known.
    latest: [(u64, u64); LATEST],
    next: usize,
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

impl Copies {
    /// Whether the packet is a copy of one before it from the same side.
    pub fn is_copy(&mut self, segment: &Segment) -> bool {
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
            copy = self.is_latest(segment);
            if copy && self.count + 1 >= FEW {
                self.start();
            }
        }
        self.count += u64::from(copy);
        copy
    }

    /// Whether one of the latest packets has the same identification and content.
    fn is_latest(&mut self, segment: &Segment) -> bool {
        let since = segment.time.saturating_sub(TOGETHER);
        let mut latest = self.latest.iter();
        if latest.any(|&(print, time)| print == segment.print && time >= since) {
            return true;
        }
        self.latest[self.next] = (segment.print, segment.time);
        self.next = (self.next + 1) % LATEST;
        false
    }

    /// The other side's packets come twice; so do this one's.
    pub fn start(&mut self) {
        self.recent.get_or_insert_with(|| {
            Box::new(Recent {
                prints: [0; REMEMBERED],
                next: 0,
            })
        });
    }

    pub fn started(&self) -> bool {
        self.recent.is_some()
    }
}
