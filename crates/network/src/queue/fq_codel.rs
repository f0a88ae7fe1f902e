//! FlowQueue-CoDel: flows take turns, and each has a separate CoDel queue.
//!
//! RFC 8290. A flow's bucket comes from a hash, so flows may share one. A flow that has
//! just become active is served before those that have been for a turn. When the buffer
//! is full, the largest bucket loses packets from its front, whether their senders
//! speak ECN or not.

use super::buffer::Backlog;
use super::codel::{ControlLaw, State};
use super::discipline::{Contents, Discipline, Maker, Port, QueueContext, Queued};
use super::line::Line;
use crate::random::mix;
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::{joined, params};
use flowstart_wire::Packet;
use rand_core::RngCore;
use std::collections::VecDeque;

/// Entry of `fq-codel` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "fq-codel",
    title: "FlowQueue-CoDel",
    source: "Linux 3.5, 2012; RFC 8290",
    year: 2012,
    opened: "RFC 8290's rules as programs quote them",
    compared: "hashing, deficit, new and old flows",
    summary: "A CoDel queue for each of many hashed flows, served in turn, new flows first.",
    params: joined![
        &[
            ControlLaw::target.spec,
            ControlLaw::interval.spec,
            // RFC 8290 §5.2.6: on unless turned off.
            ControlLaw::ecn.default("true").spec,
        ],
        Settings::PARAMS
    ],
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, _| {
        let law = ControlLaw::read(params)?;
        let settings = Settings::read(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(FqCoDel::new(law, settings, port)))
        }))
    },
};

params! {
    struct Settings {
        /// how many queues there are (RFC 8290 §5.2.5)
        #[within(1..=1_000_000)]
        flows: u32 = "1024",
        /// bytes that a queue sends in its turn (RFC 8290 §5.2.4)
        #[within(1..=1_000_000)]
        quantum: u32 = "1514",
        /// when the buffer is full, half of the largest queue is dropped, but at most so many
        /// packets (RFC 8290 §4.1)
        #[within(1..=1_000_000)]
        drop_batch: u32 = "64",
    }
}

#[derive(Clone, Debug, Default)]
struct Bucket {
    line: Line,
    state: State,
    /// Bytes that it may still send in its turn.
    deficit: i64,
    /// Whether it is in one of the two lists.
    active: bool,
}

/// State of the discipline on one link.
#[derive(Debug)]
struct FqCoDel {
    law: ControlLaw,
    settings: Settings,
    buckets: Vec<Bucket>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    backlog: Backlog,
    perturbation: u64,
    mtu: u64,
}

impl FqCoDel {
    fn new(law: ControlLaw, settings: Settings, port: &Port) -> FqCoDel {
        FqCoDel {
            law,
            settings,
            buckets: vec![Bucket::default(); settings.flows as usize],
            new: VecDeque::new(),
            old: VecDeque::new(),
            backlog: Backlog::default(),
            perturbation: port.random.clone().next_u64(),
            mtu: u64::from(port.packet),
        }
    }

    fn bucket(&self, packet: &Packet) -> usize {
        let hash = mix(packet.connection() ^ self.perturbation);
        (hash % self.buckets.len() as u64) as usize
    }

    /// Drops from the front of the largest bucket, to which the arriving
    /// packet counts. Returns whether there was anything to drop.
    fn drop_from_fattest(
        &mut self,
        arriving: (usize, u32),
        context: &mut QueueContext<'_>,
    ) -> bool {
        let bytes = |at: usize| {
            let new = if at == arriving.0 { arriving.1 } else { 0 };
            self.buckets[at].line.backlog().bytes + u64::from(new)
        };
        let fattest = (0..self.buckets.len()).max_by_key(|at| (bytes(*at), std::cmp::Reverse(*at)));
        let Some(fattest) = fattest.map(|at| &mut self.buckets[at]) else {
            return false;
        };
        let half = fattest.line.backlog().packets.div_ceil(2);
        for _ in 0..half.min(self.settings.drop_batch.into()) {
            if let Some(queued) = fattest.line.pop() {
                self.backlog.take(queued.packet.wire);
                context.evict(queued.packet);
            }
        }
        half > 0
    }

    /// The bucket whose turn it is, and whether it is new.
    fn turn(&self) -> Option<(u32, bool)> {
        let new = self.new.front().map(|at| (*at, true));
        new.or_else(|| self.old.front().map(|at| (*at, false)))
    }

    fn end_turn(&mut self, new: bool) -> Option<u32> {
        if new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        }
    }
}

impl Discipline for FqCoDel {
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool {
        let at = self.bucket(&packet);
        while !context.has_room(self.backlog, packet.wire) {
            if !self.drop_from_fattest((at, packet.wire), context) {
                return false;
            }
        }
        self.backlog.add(packet.wire);
        let bucket = &mut self.buckets[at];
        bucket.line.push(packet, context.now);
        if !bucket.active {
            bucket.active = true;
            bucket.deficit = self.settings.quantum.into();
            self.new.push_back(at as u32);
        }
        true
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        // RFC 8290 §4.2.
        while let Some((at, new)) = self.turn() {
            let bucket = &mut self.buckets[at as usize];
            if bucket.deficit <= 0 {
                bucket.deficit += i64::from(self.settings.quantum);
                self.end_turn(new);
                self.old.push_back(at);
                continue;
            }
            let before = bucket.line.backlog();
            let (law, mtu) = (self.law, self.mtu);
            let next = bucket.state.dequeue(&mut bucket.line, law, mtu, context);
            let left = before.without(bucket.line.backlog());
            self.backlog = self.backlog.without(left);
            match next {
                Some(queued) => {
                    bucket.deficit -= i64::from(queued.packet.wire);
                    return Some(queued);
                }
                // A new flow waits a turn before it can be new again.
                None if new => {
                    self.end_turn(new);
                    self.old.push_back(at);
                }
                None => {
                    bucket.active = false;
                    self.end_turn(new);
                }
            }
        }
        None
    }

    fn contents(&self) -> &dyn Contents {
        self
    }
}

impl Contents for FqCoDel {
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn last_wire(&self) -> u32 {
        let waits = |at: &&u32| self.buckets[**at as usize].line.backlog().packets > 0;
        let last = self.new.iter().chain(&self.old).rfind(waits);
        last.map_or(0, |at| self.buckets[*at as usize].line.last_wire())
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.buckets.iter().flat_map(|b| b.line.iter()))
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, of_flow};
    use flowstart_control::Instant;

    /// Positions identify flows: flow 3's begin at 300.
    fn arrivals(bench: &mut Bench, flow: u32, count: u64) {
        for n in 0..count {
            assert!(bench.enqueue(of_flow(flow, 100 * u64::from(flow) + n)));
        }
    }

    #[test]
    fn flows_take_turns_of_a_quantum() {
        let mut bench = Bench::new("fq-codel:quantum=1500", Limit::Unlimited);
        arrivals(&mut bench, 1, 3);
        arrivals(&mut bench, 2, 3);
        assert_eq!(bench.drain(), [100, 200, 101, 201, 102, 202]);
    }

    #[test]
    fn a_flow_that_comes_anew_is_served_before_one_that_has_been_there() {
        let mut bench = Bench::new("fq-codel:quantum=1500", Limit::Unlimited);
        arrivals(&mut bench, 1, 5);
        assert_eq!([bench.dequeue(), bench.dequeue()], [Some(100), Some(101)]);
        arrivals(&mut bench, 2, 1);
        assert_eq!(bench.dequeue(), Some(200));
    }

    #[test]
    fn a_flow_that_comes_back_at_once_is_not_new() {
        let mut bench = Bench::new("fq-codel:quantum=1500", Limit::Unlimited);
        arrivals(&mut bench, 1, 5);
        arrivals(&mut bench, 2, 1);
        assert_eq!([bench.dequeue(), bench.dequeue()], [Some(100), Some(200)]);
        // Its bucket is empty but keeps its place at the end of the old ones.
        assert_eq!(bench.dequeue(), Some(101));
        arrivals(&mut bench, 2, 1);
        assert_eq!([bench.dequeue(), bench.dequeue()], [Some(200), Some(102)]);
    }

    #[test]
    fn the_fattest_flow_makes_room_from_its_front() {
        let mut bench = Bench::new("fq-codel", Limit::Packets(10));
        arrivals(&mut bench, 1, 8);
        arrivals(&mut bench, 2, 2);
        arrivals(&mut bench, 3, 1);
        assert_eq!(bench.evicted(), [100, 101, 102, 103]);
        assert_eq!(bench.backlog().packets, 7);
    }

    #[test]
    fn a_bucket_is_ruled_by_codel_alone() {
        let mut bench = Bench::new("fq-codel", Limit::Unlimited);
        arrivals(&mut bench, 1, 50);
        bench.now = Instant::from_millis(10);
        bench.dequeue();
        arrivals(&mut bench, 2, 50);
        bench.now = Instant::from_millis(111);
        (0..4).for_each(|_| {
            bench.dequeue();
        });
        let hit = bench.evicted();
        assert!(hit.len() == 1 && hit[0] < 200, "{hit:?}");
    }
}
