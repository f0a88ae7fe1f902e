//! Captures that take every packet twice: on a router's inner and outer side, or on a host's real and virtual device.
//!
//! No host repeats a SYN or SYN-ACK, unchanged to the last option, within a quarter of a second. Where that is seen,
//! the connection is taken twice, and in it a packet that equals a recent one is a copy and is left out. Elsewhere
//! nothing is left out: equal packets can be honest there (duplicate ACKs without time stamps).

use crate::layers::{Segment, SYN};

#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    last_syn: Option<(u64, u64)>,
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
        }
        self.count += u64::from(copy);
        copy
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
