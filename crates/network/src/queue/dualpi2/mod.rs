//! DualPI2: two queues at one link, one of low latency next to a classic one, whose marking is
//! coupled so that flows of either kind get about the same rate.
//!
//! RFC 9332 (DualQ Coupled AQM, January 2023) and Linux's `sch_dualpi2.c`. Packets whose senders
//! scale their response to the share of marks (ECT(1), RFC 9331) wait in the low-latency queue L, and
//! so does what is marked already; all others wait in the classic queue C. A PI controller sets a
//! base probability p by the delay of the queue. Classic packets are marked or dropped with its
//! square, as their senders' rates fall with the root of that; low-latency ones are marked with k
//! times p, and as soon as they have waited for about a millisecond. L leaves first, but a
//! share of the link is C's. The delay of L is that of its threshold, the delay of C the
//! controller's target, and the rates of two flows are about equal where their round trips are.
//!
//! The updates of the controller need no events: between two calls nothing enters or leaves the
//! queues, so each call first makes up for the updates that were due since the last, each with the
//! delay at its own time.
//!
//! # State
//!
//! p and the delay at the last update; the scheduler's credit; two queues with the time at which
//! each packet came.
//!
//! # Deviations
//!
//! - The limit is the path's buffer, of both queues together, as for every discipline here.
//!   Linux's own is 10 000 packets, RFC 9332's 250 ms at the highest rate of the link.
//! - A full packet has the path's packet size; Linux adds the link's header.
//! - Filters, `any_ect`, `drop_enqueue`, `memlimit`, thresholds in packets and `min_qlen_step` (zero in
//!   Linux unless it is given) are left out.
//!   Packets come one by one, so there is nothing to split.
//! - Linux calculates in whole numbers of 32 bits, here it is real numbers.
//! - Linux's timer begins with the discipline; here its first update is one `tupdate` after the run
//!   begins, and updates are exactly at that interval.
//!
//! # Contested
//!
//! - What was opened: `net/sched/sch_dualpi2.c` of the 6.18 kernel, and of RFC 9332 what ns-3's model
//!   of DualPI2 has of its pseudo-code (the base controller, `recur`, the threshold of one packet).
//!   The ramp's bounds, the bound of the classic probability and the rules for overload of
//!   `preset=rfc9332` are from knowledge of the RFC and were not compared with its text.
//! - RFC 9332 leaves the scheduler open; `preset=rfc9332` has Linux's.
//! - RFC 9332 marks nothing for L's own sake while L has no more than one packet. Here the packet that
//!   is leaving counts as one of them.

mod credit;
mod pi2;
mod picks;
mod settings;

use super::buffer::Backlog;
use super::discipline::{Contents, Discipline, Maker, Port, QueueContext, Queued};
use super::line::Line;
use credit::{Credit, Turn};
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use pi2::Pi2;
use picks::Picks;
use settings::{Given, Native, Settings};

/// Entry of `dualpi2` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "dualpi2",
    title: "DualQ Coupled AQM with PI2",
    source: "RFC 9332; Linux 6.18 sch_dualpi2.c",
    year: 2023,
    opened: "code: Linux 6.18 net/sched/sch_dualpi2.c; RFC 9332's pseudo-code as ns-3's \
             dual-pi2-queue-disc.cc quotes it",
    compared: "classes, PI update, scheduler, coupling, step, overload",
    summary: "A low-latency queue for ECT(1) next to a classic one, marked together so that both \
              kinds of flows share the link.",
    params: Given::PARAMS,
    needs: &[],
    certainty: Certainty::Code,
    build: |params, _| {
        let settings = Settings::read(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(DualPi2::new(settings, port)))
        }))
    },
};

/// State of the discipline on one link.
#[derive(Debug)]
struct DualPi2 {
    settings: Settings,
    pi2: Pi2,
    credit: Credit,
    low_latency: Line,
    classic: Line,
    picks: Picks,
    /// Twice the size of a full packet.
    two_packets: u64,
}

/// What becomes of a packet whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Leaves,
    Marked,
    Dropped,
}

impl DualPi2 {
    fn new(settings: Settings, port: &Port) -> DualPi2 {
        DualPi2 {
            settings,
            pi2: Pi2::new(settings.gains),
            credit: Credit::new(settings.classic_protection, port.packet),
            low_latency: Line::default(),
            classic: Line::default(),
            picks: match settings.recur {
                true => Picks::even(),
                false => Picks::Drawn(port.random.clone()),
            },
            two_packets: 2 * u64::from(port.packet),
        }
    }

    /// Brings the base probability up to `now`.
    fn catch_up(&mut self, now: Instant) {
        let classic = self.classic.oldest();
        let head = match self.settings.delay_of_both {
            true => earlier(classic, self.low_latency.oldest()),
            false => classic,
        };
        self.pi2.catch_up(head, now);
    }

    /// The share of low-latency packets that is marked for the classic queue's sake; at 1 or above
    /// that does not suffice.
    fn coupled(&self) -> f64 {
        self.settings.k * self.pi2.p()
    }

    /// Whether marks cannot keep the queues short, so that both drop.
    fn overloaded(&self) -> bool {
        match self.settings.native {
            Native::Step { .. } => self.coupled() > 1.0,
            Native::Ramp { .. } => self.coupled() >= 1.0,
        }
    }

    /// Decides about a classic packet (`dualpi2_classic_marking`; RFC 9332 likewise).
    fn classic_fate(&mut self) -> Fate {
        if self.is_spared() || !self.picks.hit_squared(Turn::Classic, self.pi2.p()) {
            return Fate::Leaves;
        }
        match self.overloaded() {
            true => Fate::Dropped,
            false => Fate::Marked,
        }
    }

    /// What becomes of a low-latency packet that has waited for so long
    /// (`dualpi2_scalable_marking` and `do_step_aqm`; RFC 9332's combined probability).
    fn low_latency_fate(&mut self, sojourn: Duration) -> Fate {
        let overloaded = self.overloaded();
        let (p, coupled) = (self.pi2.p(), self.coupled().min(1.0));
        match self.settings.native {
            Native::Step { thresh } => {
                let spared = self.is_spared();
                if overloaded && !spared && self.picks.hit_squared(Turn::LowLatency, p) {
                    return Fate::Dropped;
                }
                let marked = !spared && (overloaded || self.picks.hit(Turn::LowLatency, coupled));
                mark_if(marked || sojourn > thresh)
            }
            Native::Ramp { min_th, range } => {
                if overloaded {
                    return match self.picks.hit_squared(Turn::LowLatency, p) {
                        true => Fate::Dropped,
                        false => Fate::Marked,
                    };
                }
                let native = match self.low_latency.backlog().packets {
                    0 => 0.0,
                    _ => Native::ramp(min_th, range, sojourn),
                };
                mark_if(self.picks.hit(Turn::LowLatency, coupled.max(native)))
            }
        }
    }

    /// Whether what still waits is too little for marks or drops (`must_drop`).
    fn is_spared(&self) -> bool {
        self.settings.spares_two && self.backlog().bytes < self.two_packets
    }

    /// The packet whose turn it is, and whose turn that is.
    fn next(&mut self) -> Option<(Turn, Queued)> {
        let waits = |line: &Line| line.backlog().packets > 0;
        let turn = self
            .credit
            .turn(waits(&self.low_latency), waits(&self.classic))?;
        let line = match turn {
            Turn::LowLatency => &mut self.low_latency,
            Turn::Classic => &mut self.classic,
        };
        Some((turn, line.pop()?))
    }
}

fn mark_if(marked: bool) -> Fate {
    match marked {
        true => Fate::Marked,
        false => Fate::Leaves,
    }
}

fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl Discipline for DualPi2 {
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool {
        self.catch_up(context.now);
        let before = self.backlog();
        if before.packets == 0 && context.idle_since.is_some() {
            self.credit.reset();
        }
        if !context.has_room(before, packet.wire) {
            return false;
        }
        match packet.ecn.is_l4s() {
            true => self.low_latency.push(packet, context.now),
            false => self.classic.push(packet, context.now),
        }
        true
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        self.catch_up(context.now);
        while let Some((turn, mut queued)) = self.next() {
            let fate = match turn {
                Turn::Classic => self.classic_fate(),
                Turn::LowLatency => self.low_latency_fate(context.now.since(queued.since)),
            };
            let dropped = match fate {
                Fate::Leaves => false,
                Fate::Marked => !context.mark(&mut queued.packet),
                Fate::Dropped => true,
            };
            if dropped {
                context.evict(queued.packet);
                continue;
            }
            let other = match turn {
                Turn::LowLatency => &self.classic,
                Turn::Classic => &self.low_latency,
            };
            if other.backlog().packets > 0 {
                self.credit.charge(turn, queued.packet.wire);
            }
            return Some(queued);
        }
        None
    }

    fn contents(&self) -> &dyn Contents {
        self
    }
}

impl Contents for DualPi2 {
    fn backlog(&self) -> Backlog {
        let (l, c) = (self.low_latency.backlog(), self.classic.backlog());
        Backlog {
            packets: l.packets + c.packets,
            bytes: l.bytes + c.bytes,
        }
    }

    fn last_wire(&self) -> u32 {
        match self.classic.last_wire() {
            0 => self.low_latency.last_wire(),
            wire => wire,
        }
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.low_latency.iter().chain(self.classic.iter()))
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, capable, packet};
    use flowstart_control::{Duration, Instant};
    use flowstart_wire::{Ecn, Packet};

    /// Makes a packet at a position.
    type Make = fn(u64) -> Packet;

    /// One whose sender scales its answer.
    fn scalable(seq: u64) -> Packet {
        let mut packet = packet(seq);
        packet.ecn = Ecn::ECT1;
        packet
    }

    /// Keeps so many of each kind waiting for so many milliseconds, in each of which one leaves:
    /// how many were marked and evicted of low-latency packets, and of classic ones.
    fn held(spec: &str, kinds: [(u64, Make); 2], ms: u64) -> [(usize, usize); 2] {
        let mut bench = Bench::new(spec, Limit::Unlimited);
        let mut waiting = [0, 0];
        let mut found = [(0, 0); 2];
        for n in 0..ms {
            bench.now += Duration::from_millis(1);
            for (kind, (count, make)) in kinds.iter().enumerate() {
                while waiting[kind] < *count {
                    // The classic ones have odd numbers.
                    bench.enqueue(make(1000 * n + 2 * waiting[kind] + kind as u64));
                    waiting[kind] += 1;
                }
            }
            let left = bench.dequeue();
            let evicted = bench.evicted();
            for seq in left.iter().chain(&evicted) {
                waiting[(seq % 2) as usize] -= 1;
            }
            for seq in bench.marked() {
                found[(seq % 2) as usize].0 += 1;
            }
            for seq in evicted {
                found[(seq % 2) as usize].1 += 1;
            }
        }
        found
    }

    #[test]
    fn low_latency_packets_leave_before_classic_ones_that_came_first() {
        let mut bench = Bench::new("dualpi2", Limit::Unlimited);
        for packet in [packet(1), capable(2), scalable(3), scalable(4)] {
            assert!(bench.enqueue(packet));
        }
        assert_eq!(bench.backlog().packets, 4);
        assert_eq!(bench.drain(), [3, 4, 1, 2]);
    }

    #[test]
    fn what_is_marked_already_is_low_latency_traffic() {
        let mut bench = Bench::new("dualpi2", Limit::Unlimited);
        let mut marked = capable(2);
        marked.ecn.set(Ecn::CE);
        assert!(bench.enqueue(packet(1)) && bench.enqueue(marked));
        assert_eq!(bench.drain(), [2, 1]);
    }

    #[test]
    fn both_queues_share_one_buffer() {
        let mut bench = Bench::new("dualpi2", Limit::Packets(2));
        assert!(bench.enqueue(packet(1)) && bench.enqueue(scalable(2)));
        assert!(!bench.enqueue(packet(3)) && !bench.enqueue(scalable(4)));
    }

    /// Whether a low-latency packet that has waited for so long is marked, where a second one waits.
    fn is_marked(spec: &str, sojourn: Duration) -> bool {
        let mut bench = Bench::new(spec, Limit::Unlimited);
        assert!(bench.enqueue(scalable(1)) && bench.enqueue(scalable(2)));
        bench.now += sojourn;
        bench.dequeue();
        !bench.marked().is_empty()
    }

    #[test]
    fn the_step_marks_what_has_waited_for_more_than_a_millisecond() {
        assert!(!is_marked("dualpi2", Duration::from_millis(1)));
        assert!(is_marked("dualpi2", Duration::from_micros(1001)));
        assert!(!is_marked(
            "dualpi2:step_thresh=2ms",
            Duration::from_millis(2)
        ));
    }

    #[test]
    fn the_ramp_marks_nothing_below_its_beginning_and_leaves_a_lone_packet_alone() {
        let rfc = "dualpi2:preset=rfc9332,recur=false";
        assert!(!is_marked(rfc, Duration::from_micros(800)));
        assert!(is_marked(rfc, Duration::from_micros(1200)));
        let mut bench = Bench::new(rfc, Limit::Unlimited);
        bench.enqueue(scalable(1));
        bench.now = Instant::from_millis(5);
        bench.dequeue();
        assert_eq!(bench.marked(), []);
    }

    #[test]
    fn a_long_classic_queue_has_low_latency_packets_marked_too() {
        for spec in ["dualpi2", "dualpi2:preset=rfc9332"] {
            // L's own threshold is not reached: its one packet leaves at once in nine of ten turns.
            let l = |classic| held(spec, [(1, scalable), (classic, capable)], 150)[0].0;
            assert_eq!(l(0), 0, "{spec}");
            assert!(l(30) > 10, "{spec} {}", l(30));
        }
    }

    #[test]
    fn a_classic_queue_at_its_target_loses_nothing() {
        let [_, c] = held("dualpi2", [(0, scalable), (14, packet)], 5000);
        assert_eq!(c, (0, 0));
    }

    #[test]
    fn classic_packets_of_senders_without_ecn_are_dropped_where_others_are_marked() {
        let [_, marked] = held("dualpi2", [(0, scalable), (17, capable)], 1500);
        let [_, dropped] = held("dualpi2", [(0, scalable), (17, packet)], 1500);
        assert!(marked.0 > 0 && marked.1 == 0, "{marked:?}");
        assert!(dropped.0 == 0 && dropped.1 > 0, "{dropped:?}");
    }

    #[test]
    fn on_overload_both_queues_drop_unless_the_buffer_is_to_fill() {
        let dropped = |spec: &str| {
            let found = held(spec, [(40, scalable), (400, capable)], 3000);
            found.map(|(_, evicted)| evicted > 0)
        };
        assert_eq!(dropped("dualpi2"), [true, true]);
        assert_eq!(dropped("dualpi2:preset=rfc9332"), [true, true]);
        assert_eq!(dropped("dualpi2:drop_on_overload=false"), [false, false]);
    }

    #[test]
    fn a_tenth_of_the_link_is_the_classic_queues_under_any_flood() {
        let mut bench = Bench::new("dualpi2", Limit::Unlimited);
        for n in 0..100 {
            bench.enqueue(scalable(2 * n));
            bench.enqueue(packet(2 * n + 1));
        }
        let left: Vec<u64> = (0..50).filter_map(|_| bench.dequeue()).collect();
        assert_eq!(left.iter().filter(|seq| *seq % 2 == 1).count(), 5);
    }
}
