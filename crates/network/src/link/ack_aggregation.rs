//! ACK aggregation: packets pass at fixed intervals, and what came since leaves together.
//!
//! So acknowledgements are compressed (RFC 3449 §2.2: a shared return channel lets a host
//! send once a cycle) and, with thinning, filtered (§5.2.1: a newer cumulative
//! acknowledgement makes an older one redundant). An acknowledgement that reports more than
//! its number is never filtered.

use super::common::{Common, InFlight, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::moment::Moment;
use crate::queue::{Backlog, QueueEvent, QueueEventKind};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;

/// Passes packets at multiples of a period; with `thinning`, of a flow's plain acknowledgements that
/// pass together only the newest.
pub fn ack_aggregation(period: Duration, thinning: bool) -> StagePlan {
    StagePlan::new("gather", "gather", move |_| AckAggregator {
        period,
        thinning,
        backlog: Backlog::default(),
    })
}

/// What aggregates them.
struct AckAggregator {
    period: Duration,
    thinning: bool,
    backlog: Backlog,
}

impl AckAggregator {
    /// Evicts the acknowledgement before it of the same flow, if it reports more. One
    /// that repeats its predecessor reports a segment out of order and is left alone.
    fn thin(&mut self, flow: u32, una: u64, arrival: Moment, now: Instant, link: &mut Common) {
        let redundant = |p: &InFlight| {
            p.arrival == arrival
                && p.packet.flow == flow
                && p.packet.plain_ack().is_some_and(|older| older < una)
        };
        let older = link.ring.iter().rposition(redundant);
        let Some(older) = older.and_then(|at| link.ring.remove(at)) else {
            return;
        };
        self.backlog.take(older.packet.wire);
        link.counters.evict(older.packet.wire);
        link.events.push_back(QueueEvent {
            packet: older.packet,
            at: now,
            kind: QueueEventKind::Evicted,
        });
    }
}

impl LinkImpl for AckAggregator {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        // A packet that comes at the very moment is too late: its cause is the turn before.
        let turn = now.time.floor(self.period);
        let arrival = Moment {
            time: turn + self.period,
            cause: turn,
        };
        // Even if the only one that waits makes room for this one.
        let scheduled = !link.ring.is_empty();
        if let Some(una) = packet.plain_ack().filter(|_| self.thinning) {
            self.thin(packet.flow, una, arrival, now.time, link);
        }
        self.backlog.add(packet.wire);
        link.counters.accept(packet.wire, self.backlog);
        link.depart(arrival, packet);
        if scheduled {
            Verdict::Accepted
        } else {
            Verdict::First
        }
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        Some(&mut self.backlog)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Link;
    use super::super::testing::stage;
    use super::*;
    use flowstart_wire::{Ack, AckOption, Body, ByteAck, SynAck, UNLIMITED_WINDOW};

    fn gate(thinning: bool) -> Link {
        stage(&ack_aggregation(Duration::from_millis(2), thinning))
    }

    fn ack(flow: u32, una: u64) -> Packet {
        packet(flow, ByteAck::new(una, UNLIMITED_WINDOW, AckOption::None))
    }

    fn packet(flow: u32, ack: ByteAck) -> Packet {
        Packet::new(flow, 40, Body::Ack(Ack::Bytes(ack)))
    }

    /// Up to where an acknowledgement reaches; zero for any other packet.
    fn una(packet: &Packet) -> u64 {
        match &packet.body {
            Body::Ack(Ack::Bytes(ack)) => ack.una(),
            _ => 0,
        }
    }

    /// What leaves the gate, by time in microseconds, flow and number, of packets that come
    /// at these times.
    fn leaving(mut gate: Link, packets: &[(u64, Packet)]) -> Vec<(u64, u32, u64)> {
        let mut left = Vec::new();
        let mut next: Option<Moment> = None;
        let mut open = |gate: &mut Link, next: &mut Option<Moment>, until: Option<Instant>| {
            while let Some(due) = next.filter(|due| until.is_none_or(|t| due.time <= t)) {
                let packet = gate.deliver(due).unwrap();
                let after = gate.next_delivery();
                left.push((due.time.nanos() / 1000, packet.flow, una(&packet)));
                *next = after;
            }
        };
        for (us, packet) in packets {
            let time = Instant::from_micros(*us);
            open(&mut gate, &mut next, Some(time));
            let moment = Moment { time, cause: time };
            if gate.send(packet, moment) == Verdict::First {
                assert!(next.is_none(), "one event is enough");
                next = gate.next_delivery();
            }
        }
        open(&mut gate, &mut next, None);
        left
    }

    #[test]
    fn what_comes_between_two_openings_leaves_at_the_second() {
        let packets = [(100, ack(0, 1)), (1900, ack(0, 2)), (2000, ack(0, 3))];
        let expected = [(2000, 0, 1), (2000, 0, 2), (4000, 0, 3)];
        assert_eq!(leaving(gate(false), &packets), expected);
    }

    #[test]
    fn thinning_leaves_the_newest_acknowledgement_of_each_flow_in_a_batch() {
        let packets = [
            (100, ack(0, 1)),
            (200, ack(1, 5)),
            (300, ack(0, 2)),
            (400, ack(0, 3)),
            (2100, ack(0, 4)),
        ];
        let expected = [(2000, 1, 5), (2000, 0, 3), (4000, 0, 4)];
        assert_eq!(leaving(gate(true), &packets), expected);
    }

    #[test]
    fn one_that_takes_the_place_of_the_only_one_needs_no_second_event() {
        let packets = [(100, ack(0, 1)), (200, ack(0, 2)), (300, ack(0, 3))];
        assert_eq!(leaving(gate(true), &packets), [(2000, 0, 3)]);
    }

    #[test]
    fn what_says_more_than_its_number_is_not_thinned_out() {
        let mut with_sack = ByteAck::new(1, UNLIMITED_WINDOW, AckOption::None);
        with_sack.push_sack(2, 3);
        let gap = AckOption::Gap(Duration::from_micros(7));
        let with_gap = ByteAck::new(1, UNLIMITED_WINDOW, gap);
        let answer = SynAck::new(0, UNLIMITED_WINDOW);
        let answer = Packet::new(0, 40, Body::SynAck(answer));
        for telling in [packet(0, with_sack), packet(0, with_gap), answer] {
            let packets = [(100, telling), (200, ack(0, 2))];
            assert_eq!(leaving(gate(true), &packets).len(), 2);
        }
        let repeated = [(100, ack(0, 1)), (200, ack(0, 1)), (300, ack(0, 1))];
        assert_eq!(leaving(gate(true), &repeated).len(), 3);
    }
}
