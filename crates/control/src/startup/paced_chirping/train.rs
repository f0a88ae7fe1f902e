//! Sending a chirp gap by gap, and what is out of it until its packets are acknowledged.

use crate::signals::{Ack, Sent};
use crate::{Duration, Instant, Rate, Segments, Window};
use std::collections::VecDeque;

/// Number and gaps of the packets in a chirp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) packets: usize,
    /// The first gap, and by how much each is less than the one before, nanoseconds.
    pub(super) first: u64,
    pub(super) step: u64,
}

impl Shape {
    /// The gap after a packet, counted from 0.
    pub(super) fn gap(&self, packet: usize) -> u64 {
        self.first.saturating_sub(self.step * packet as u64)
    }

    /// From the first packet to the last.
    pub(super) fn length(&self) -> u64 {
        (0..self.packets - 1).map(|packet| self.gap(packet)).sum()
    }
}

/// A chirp that is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) number: u64,
    pub(super) shape: Shape,
    /// From its last packet to what follows, nanoseconds.
    pub(super) guard: u64,
    /// Packets by which the window is to exceed what is out.
    pub(super) room: usize,
}

/// A chirp that is out.
#[derive(Clone, Debug)]
pub(super) struct Chirp {
    pub(super) number: u64,
    pub(super) packets: usize,
    /// Position of its first byte.
    pub(super) start: u64,
    /// Times at which the chirp's packets were sent.
    pub(super) sent_at: Vec<Instant>,
    /// The queueing delays of those that are acknowledged, nanoseconds.
    pub(super) delays: Vec<u64>,
}

impl Chirp {
    fn new(number: u64, packets: usize, start: u64) -> Chirp {
        Chirp {
            number,
            packets,
            start,
            sent_at: Vec::with_capacity(packets),
            delays: Vec::with_capacity(packets),
        }
    }

    /// The gap before each packet as it was, none before the first.
    pub(super) fn gaps(&self) -> Vec<u64> {
        let between = self.sent_at.windows(2).map(|w| w[1].since(w[0]).nanos());
        std::iter::once(0).chain(between).collect()
    }

    pub(super) fn is_known(&self) -> bool {
        self.delays.len() == self.packets
    }
}

/// Chirps that leave and those that are out.
#[derive(Clone, Debug, Default)]
pub(super) struct Train {
    /// The chirp that is leaving, and how many of its packets have.
    leaving: Option<(Plan, usize)>,
    out: VecDeque<Chirp>,
    /// One past the highest byte sent, and the last that the application has queued.
    high: u64,
    queued_until: u64,
}

/// What a packet waits for after the one before it.
fn space(w: &mut Window, gap: u64) {
    let rate = Rate::of(u64::from(w.wire()), Duration(gap.max(1)));
    w.pacing = Some(Rate(rate.bps().max(1)));
}

impl Train {
    pub(super) fn queue(&mut self, bytes: u64) {
        self.queued_until = bytes;
    }

    /// What waits according to an acknowledgement.
    pub(super) fn on_ack(&mut self, a: &Ack) {
        self.queued_until = a.nxt.saturating_add(a.queued);
        self.high = self.high.max(a.nxt);
    }

    /// Whether so many full packets wait.
    pub(super) fn has(&self, packets: usize, w: &Window) -> bool {
        let waiting = self.queued_until.saturating_sub(self.high);
        waiting >= packets as u64 * u64::from(w.mss)
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.is_some()
    }

    /// The oldest chirp that is out.
    pub(super) fn oldest(&self) -> Option<&Chirp> {
        self.out.front()
    }

    /// Starts to send the chirp of this plan.
    pub(super) fn begin(&mut self, w: &mut Window, flight: u64, plan: Plan) {
        w.cwnd = w.segments(flight).ceil() + plan.room as Segments;
        space(w, plan.shape.gap(0));
        self.leaving = Some((plan, 0));
    }

    /// So many packets leave at once, in no chirp; the guard of the last chirp still holds.
    pub(super) fn unchirped(&mut self, w: &mut Window, flight: u64, packets: usize) {
        w.cwnd = w.segments(flight).ceil() + packets as Segments;
        space(w, 0);
    }

    /// Nothing leaves for now. What is out may count what is SACKed, and the window is not to make
    /// room for that.
    pub(super) fn halt(&mut self, w: &mut Window, flight: u64) {
        w.cwnd = w.segments(flight).floor().min(w.cwnd).max(1.0);
    }

    /// A packet has left for the first time: how long the one after the next waits. The pacer has
    /// the wait after this one already.
    pub(super) fn on_sent(&mut self, w: &mut Window, s: &Sent) {
        self.high = self.high.max(s.seq + u64::from(s.bytes));
        let Some((plan, sent)) = &mut self.leaving else {
            return;
        };
        if *sent == 0 {
            let chirp = Chirp::new(plan.number, plan.shape.packets, s.seq);
            self.out.push_back(chirp);
        }
        if let Some(chirp) = self.out.back_mut() {
            chirp.sent_at.push(s.now);
        }
        *sent += 1;
        let (plan, sent) = (*plan, *sent);
        if sent + 1 < plan.shape.packets {
            space(w, plan.shape.gap(sent));
        } else if sent < plan.shape.packets {
            space(w, plan.guard);
        } else {
            self.leaving = None;
        }
    }

    /// The next packet that an acknowledgement up to `una` covers, its delay noted: its chirp, which
    /// is the oldest one.
    pub(super) fn acknowledge(&mut self, una: u64, mss: u32, delay: u64) -> Option<&Chirp> {
        if self.out.front().is_some_and(Chirp::is_known) {
            self.out.pop_front();
        }
        let chirp = self.out.front_mut()?;
        let end = chirp.start + (chirp.delays.len() as u64 + 1) * u64::from(mss);
        if chirp.delays.len() == chirp.sent_at.len() || end > una {
            return None;
        }
        chirp.delays.push(delay);
        Some(chirp)
    }

    pub(super) fn clear(&mut self) {
        self.leaving = None;
        self.out.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MSS: u32 = 1000;

    fn window() -> Window {
        Window {
            header: 0,
            ..Window::new(MSS)
        }
    }

    #[test]
    fn each_packet_waits_for_its_gap_and_what_follows_for_the_guard() {
        let mut train = Train::default();
        let mut w = window();
        let shape = Shape {
            packets: 3,
            first: 400 * US,
            step: 100 * US,
        };
        let plan = Plan {
            number: 7,
            shape,
            guard: 900 * US,
            room: 3,
        };
        train.begin(&mut w, 2_500, plan);
        assert_eq!(w.cwnd, 6.0);
        let wait = |w: &Window| w.pacing.unwrap().time_for(u64::from(MSS)).nanos() / US;
        let mut waits = vec![wait(&w)];
        for number in 0..3 {
            let sent = Sent {
                now: Instant::from_micros(number * 10),
                bytes: MSS,
                seq: 2_000 + number * 1_000,
                retransmission: false,
                flight: 0,
            };
            train.on_sent(&mut w, &sent);
            waits.push(wait(&w));
        }
        assert_eq!(waits, [400, 300, 900, 900]);
        assert!(!train.is_leaving());
        let chirp = train.oldest().unwrap();
        assert_eq!((chirp.number, chirp.start), (7, 2_000));
        assert_eq!(chirp.gaps(), [0, 10 * US, 10 * US]);
    }

    #[test]
    fn a_halt_does_not_widen_the_window() {
        let (mut train, mut w) = (Train::default(), window());
        w.cwnd = 7.0;
        for (flight, cwnd) in [(9_000, 7.0), (6_500, 6.0), (8_000, 6.0), (0, 1.0)] {
            train.halt(&mut w, flight);
            assert_eq!(w.cwnd, cwnd);
        }
    }

    #[test]
    fn packets_are_acknowledged_whole_and_chirps_one_after_the_other() {
        let mut train = Train::default();
        for (number, start) in [(0, 0), (1, 2_000)] {
            let mut chirp = Chirp::new(number, 2, start);
            chirp.sent_at = vec![Instant::ZERO; 2];
            train.out.push_back(chirp);
        }
        let mut covered = |una, delay| {
            let chirp = train.acknowledge(una, MSS, delay)?;
            Some((chirp.number, chirp.delays.clone()))
        };
        assert_eq!(covered(999, 5), None);
        assert_eq!(covered(3_000, 5), Some((0, vec![5])));
        assert_eq!(covered(3_000, 6), Some((0, vec![5, 6])));
        assert_eq!(covered(3_000, 7), Some((1, vec![7])));
        assert_eq!(covered(3_000, 8), None);
    }
}
