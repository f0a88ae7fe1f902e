//! Packets of one flow that arrive late, by position: each is delayed on top of what the path
//! takes, and overtaken by those behind it.
//!
//! The stage is on both sides of a line. Before it, packets are counted as they come, also
//! those that the line then loses; behind it, they are held up. What the line has lost is shown by
//! what comes out instead: it keeps a flow's packets in order.

use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::Duration;
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// A packet that has been counted and is at the line.
#[derive(Clone, Copy, Debug)]
struct Counted {
    start: u64,
    delay: Duration,
}

/// A stage of one flow: positions with their delays, in order.
pub fn late(delays: &[(u64, Duration)]) -> StagePlan {
    let delays = delays.to_vec();
    StagePlan::new("late", "late", move |_| Late::new(&delays))
}

/// The stage of one flow.
struct Late {
    /// Positions with their delays, in order.
    delays: VecDeque<(u64, Duration)>,
    /// Packets counted so far; the SYN is number 0.
    seen: u64,
    at_line: VecDeque<Counted>,
    /// What a packet has passed when it comes here for the first time.
    before_line: Option<u8>,
}

impl Late {
    /// A stage that has seen no packet. Positions are in order.
    fn new(delays: &[(u64, Duration)]) -> Late {
        Late {
            delays: delays.iter().copied().collect(),
            seen: 0,
            at_line: VecDeque::new(),
            before_line: None,
        }
    }

    fn count(&mut self, packet: &Packet) {
        if !packet.is_forward() {
            return;
        }
        let delay = match self.delays.front() {
            Some((at, delay)) if *at == self.seen => *delay,
            _ => Duration::ZERO,
        };
        self.seen += 1;
        while self.delays.front().is_some_and(|(at, _)| *at < self.seen) {
            self.delays.pop_front();
        }
        self.at_line.push_back(Counted {
            start: packet.start(),
            delay,
        });
    }

    fn delay_of(&mut self, packet: &Packet) -> Duration {
        if !packet.is_forward() {
            return Duration::ZERO;
        }
        while let Some(counted) = self.at_line.pop_front() {
            if counted.start == packet.start() {
                return counted.delay;
            }
        }
        Duration::ZERO
    }
}

impl LinkImpl for Late {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let mut arrival = Moment {
            time: now.time,
            cause: now.time,
        };
        if *self.before_line.get_or_insert(packet.hop) == packet.hop {
            self.count(packet);
        } else {
            link.counters.accept(packet.wire, Backlog::default());
            arrival.time += self.delay_of(packet);
        }
        link.depart_in_order(arrival, packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass, stage};
    use super::*;

    #[test]
    fn what_is_counted_before_the_line_is_late_behind_it_and_what_is_lost_there_shifts_nothing() {
        let delays = [(1, Duration::from_millis(4)), (3, Duration::from_millis(2))];
        let mut late = Late::new(&delays);
        let packet = |start| Packet::data(0, 1500, start, 1448);
        (0..5).for_each(|n| late.count(&packet(n * 1448)));
        // The second is lost.
        let delays: Vec<Duration> = [0, 2, 3, 4]
            .map(|n| late.delay_of(&packet(n * 1448)))
            .into();
        assert_eq!(delays, [0, 0, 2, 0].map(Duration::from_millis));
    }

    #[test]
    fn before_the_line_no_packet_waits() {
        let plan = late(&[(0, Duration::from_millis(5))]);
        assert_eq!(pass(stage(&plan), &[0, 1000]), [0, 1000]);
    }
}
