//! Drop-tail with two levels: startup packets that their sender has marked go first
//! (Jump Start §IV.E).
//!
//! When a packet without the mark comes to a full queue, the newest marked one that waits
//! makes room for it; the newest, so that what is left of the flight is its beginning.
//! Without marked packets this is drop-tail.

use super::discipline::{Contents, Discipline, Maker, QueueContext, Queued};
use super::line::Line;
use flowstart_control::entry::{Certainty, Entry, Need};
use flowstart_wire::Packet;

/// Entry of `marked-first` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "marked-first",
    title: "Drop-tail, marked startup packets first",
    source: "Liu, Allman, Jin, Wang: Congestion Control Without a Startup Phase, §IV.E",
    year: 2007,
    opened: "text: the Jump Start paper §IV.E",
    compared: "which packet is thrown out",
    summary: "Drop-tail that, when full, throws out the newest packet marked as part of an \
              oversized startup flight to admit one without the mark.",
    params: &[],
    needs: &[Need::Routers],
    certainty: Certainty::Reconstructed,
    build: |_, _| Ok(Box::new(|_| Some(Box::new(MarkedFirst::default())))),
};

/// State of the discipline on one link.
#[derive(Debug, Default)]
struct MarkedFirst {
    line: Line,
}

impl MarkedFirst {
    /// Evicts marked packets until a packet without the mark fits; none where even
    /// all would not do.
    fn make_room(&mut self, wire: u32, context: &mut QueueContext<'_>) -> bool {
        let unmarked = self.line.backlog().without(self.line.marked());
        if !context.has_room(unmarked, wire) {
            return false;
        }
        while !context.has_room(self.line.backlog(), wire) {
            let newest = self.line.newest_marked();
            let packet = newest.and_then(|at| self.line.remove(at));
            context.evict(packet.expect("marked packets are what fills it").packet);
        }
        true
    }
}

impl Discipline for MarkedFirst {
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool {
        let room = if packet.tags.startup_excess {
            context.has_room(self.line.backlog(), packet.wire)
        } else {
            self.make_room(packet.wire, context)
        };
        if room {
            self.line.push(packet, context.now);
        }
        room
    }

    fn dequeue(&mut self, _: &mut QueueContext<'_>) -> Option<Queued> {
        self.line.pop()
    }

    fn contents(&self) -> &dyn Contents {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, marked, packet};

    fn bench(limit: Limit) -> Bench {
        Bench::new("marked-first", limit)
    }

    #[test]
    fn the_newest_marked_packet_makes_room_for_one_without_the_mark() {
        let mut bench = bench(Limit::Packets(3));
        for packet in [marked(1), packet(2), marked(3)] {
            assert!(bench.enqueue(packet));
        }
        assert!(bench.enqueue(packet(4)));
        assert_eq!(bench.evicted(), [3]);
        assert_eq!(bench.drain(), [1, 2, 4]);
    }

    #[test]
    fn a_full_queue_refuses_marked_packets_and_without_any_is_drop_tail() {
        let mut bench = bench(Limit::Packets(2));
        assert!(bench.enqueue(packet(1)) && bench.enqueue(packet(2)));
        assert!(!bench.enqueue(marked(3)) && !bench.enqueue(packet(4)));
        assert!(bench.evicted().is_empty());
        assert_eq!(bench.drain(), [1, 2]);
    }

    #[test]
    fn nothing_is_evicted_where_it_would_not_make_enough_room() {
        let mut bench = bench(Limit::Bytes(3000));
        let mut small = marked(1);
        small.wire = 100;
        assert!(bench.enqueue(packet(0)) && bench.enqueue(small));
        let mut large = packet(2);
        large.wire = 2000;
        assert!(!bench.enqueue(large));
        assert_eq!(bench.drain(), [0, 1]);
    }
}
