//! CHOKe: a flow that fills the queue is likely to meet its own packets in it.
//!
//! R. Pan, B. Prabhakar, K. Psounis, "CHOKe, a stateless active queue management scheme for
//! approximating fair bandwidth allocation", INFOCOM 2000. While RED's average is above
//! th_min, an arriving packet is compared with one drawn from the queue; if both are of one
//! flow, both are dropped. Otherwise RED's rule without its gentle region applies.
//!
//! With `ecn=true` a packet that RED's rule would drop below th_max is marked, if its sender
//! understands it. Two packets that meet are dropped all the same, and so is everything above
//! th_max (RFC 3168 §7).
//!
//! With `marked=first` the candidate is drawn from the marked startup packets as long as
//! any wait: Jump Start (§IV.E) names CHOKe as what could find oversized starts.

use super::discipline::{Contents, Discipline, Maker, Port, QueueContext, Queued};
use super::line::Line;
use super::red::{Detector, Marked, Settings};
use crate::random::below;
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::{joined, params};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// Entry of `choke` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "choke",
    title: "CHOKe",
    source: "Pan, Prabhakar, Psounis: CHOKe, INFOCOM 2000",
    year: 2000,
    opened: "what papers say of it; RED as in ns-2.35",
    compared: "comparison, drop of both",
    summary: "Compares an arriving packet with one drawn from the queue and drops both if they \
              are of one flow, else as RED.",
    params: joined![
        &[
            Settings::th_min.spec,
            Settings::th_max.spec,
            Settings::max_p.spec,
            Settings::q_w.spec,
            Settings::wait.spec,
            Settings::bytes.spec,
            Settings::mean_pktsize.spec,
        ],
        Comparison::PARAMS,
        &[Settings::marked.spec, Settings::ecn.spec]
    ],
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, _| {
        let settings = Settings {
            gentle: false,
            ..Settings::sound(params)?
        };
        let Comparison { candidates } = Comparison::read(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(Choke::new(&settings, candidates, port)))
        }))
    },
};

params! {
    struct Comparison {
        /// how many packets are drawn for comparison (the paper's m)
        #[within(1..=1_000_000)]
        candidates: u32 = "1",
    }
}

/// State of the discipline on one link.
#[derive(Debug)]
struct Choke {
    line: Line,
    detector: Detector,
    candidates: u32,
    marked_first: bool,
    random: Pcg64Mcg,
}

impl Choke {
    fn new(settings: &Settings, candidates: u32, port: &Port) -> Choke {
        Choke {
            line: Line::default(),
            detector: Detector::new(settings, port),
            candidates,
            marked_first: settings.marked == Marked::First,
            random: port.random.clone(),
        }
    }

    /// Compares with candidates and evicts those of the same flow. Returns whether
    /// there were any.
    fn meets_itself(&mut self, packet: &Packet, context: &mut QueueContext<'_>) -> bool {
        let mut met = false;
        for _ in 0..self.candidates {
            let Some(position) = self.draw() else { break };
            let same = |other: &Packet| other.connection() == packet.connection();
            if self.line.get(position).is_some_and(same)
                && let Some(queued) = self.line.remove(position)
            {
                context.evict(queued.packet);
                met = true;
            }
        }
        met
    }

    /// Draws the position of a candidate.
    fn draw(&mut self) -> Option<usize> {
        let marked = self.line.marked().packets;
        if self.marked_first && marked > 0 {
            return self.line.marked_at(below(&mut self.random, marked));
        }
        let waiting = self.line.backlog().packets;
        (waiting > 0).then(|| below(&mut self.random, waiting) as usize)
    }
}

impl Discipline for Choke {
    fn enqueue(&mut self, mut packet: Packet, context: &mut QueueContext<'_>) -> bool {
        self.detector.age(context);
        let waiting = self.line.backlog();
        let advice = self.detector.arrival(packet.wire, waiting, context);
        if self.detector.above_minimum() && self.meets_itself(&packet, context) {
            return false;
        }
        let room = context.has_room(waiting, packet.wire);
        let refused = advice.refuses(&mut self.random) || !room;
        if refused && !self.detector.marks_instead(room, &mut packet, context) {
            return false;
        }
        self.line.push(packet, context.now);
        true
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
    use crate::queue::testing::{Bench, capable, marked, of_flow};

    /// A queue of these packets whose average is far above th_min.
    fn crowded(spec: &str, count: u64, packet: impl Fn(u64) -> flowstart_wire::Packet) -> Bench {
        let mut bench = Bench::new(
            &format!("choke:th_min=0,th_max=1000,max_p=0,q_w=1{spec}"),
            Limit::Unlimited,
        );
        // What comes to fewer than two packets is let in.
        for n in 0..count {
            while !bench.enqueue(packet(n)) {}
            bench.evicted();
        }
        bench
    }

    #[test]
    fn a_flow_that_meets_itself_loses_both_packets() {
        let mut bench = crowded("", 2, |n| of_flow(7, n));
        let waiting = bench.backlog().packets;
        assert!(!bench.enqueue(of_flow(7, 99)));
        assert_eq!(bench.evicted().len(), 1);
        assert_eq!(bench.backlog().packets, waiting - 1);
    }

    #[test]
    fn a_flow_with_nothing_in_the_queue_loses_nothing() {
        let mut bench = crowded("", 2, |n| of_flow(n as u32, n));
        assert!(bench.enqueue(of_flow(9, 99)));
        assert!(bench.evicted().is_empty());
    }

    #[test]
    fn the_larger_share_of_the_queue_is_hit_harder() {
        let mut bench = crowded("", 2, |n| of_flow(n as u32, n));
        let mut lost = [0, 0];
        for n in 0..4000 {
            // Two packets come for one that leaves, three of flow 0 for one of flow 1.
            if n % 2 == 0 {
                bench.dequeue();
            }
            let flow = usize::from(n % 4 == 3);
            lost[flow] += u32::from(!bench.enqueue(of_flow(flow as u32, n)));
        }
        // Refused were so many of 3000, and of 1000.
        assert!(lost[0] > 2 * 3 * lost[1], "{lost:?}");
    }

    #[test]
    fn candidates_are_marked_packets_where_those_go_first() {
        // One marked packet among many of other flows: only a candidate drawn from the
        // marked is sure to find it.
        let flow_of = |n: u64| {
            let mut packet = if n == 1 {
                marked(n)
            } else {
                of_flow(n as u32, n)
            };
            packet.flow = n as u32;
            packet
        };
        let mut bench = crowded(",marked=first", 30, flow_of);
        assert!(!bench.enqueue(of_flow(1, 99)));
        assert_eq!(bench.evicted(), [1]);
    }

    #[test]
    fn a_mark_takes_the_place_of_reds_drop_but_not_of_a_meeting() {
        let of = |flow, n| flowstart_wire::Packet { flow, ..capable(n) };
        let spec = "choke:th_min=0,th_max=100,max_p=1,q_w=1,ecn=true";
        let mut bench = Bench::new(spec, Limit::Unlimited);
        for n in 0..500 {
            if n > 10 {
                bench.dequeue();
            }
            assert!(bench.enqueue(of(n as u32, n)), "below th_max");
        }
        assert!(!bench.marked().is_empty());
        let mut bench = crowded(",ecn=true", 2, |n| of(7, n));
        assert!(!bench.enqueue(of(7, 99)));
        assert_eq!(bench.evicted().len(), 1);
        assert!(bench.marked().is_empty());
    }
}
