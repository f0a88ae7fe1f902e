//! Random Early Detection, with the gentle region and ns-2's spacing of drops.
//!
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance",
//! IEEE/ACM ToN 1(4), 1993; as in ns-2.35 `queue/red.cc`, whose names the constants have.
//! The average is updated by arrivals, and after an idle time as if small packets had come
//! to an empty queue all the while.
//!
//! With `ecn=true` a packet whose sender understands it is marked where it would be dropped
//! early. How far that goes is contested: RFC 3168 §7 has routers drop all the same once the
//! average is above th_max, where marks have not helped; ns-2 marks whatever the average is
//! (`mark_p_` = 1). `mark_p` is the probability up to which packets are marked; by default it is
//! max_p, which is the RFC's rule. A full buffer drops.
//!
//! With `marked=first`, packets that their sender marked as excess of a startup are
//! dropped by the average of everything that waits, the others by a separate average,
//! to which the marked ones do not count (as RIO does with two classes: D. Clark, W. Fang,
//! "Explicit Allocation of Best-Effort Packet Delivery Service", 1998).

use super::buffer::Backlog;
use super::codel::ControlLaw;
use super::discipline::{Contents, Discipline, Maker, Port, QueueContext, Queued};
use super::line::Line;
use crate::random::share;
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::params::{Number, Params, Ratio, SpecError};
use flowstart_control::{Duration, Instant, Segments, params};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// Entry of `red` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "red",
    title: "Random Early Detection",
    source: "Floyd, Jacobson: Random Early Detection Gateways, 1993; ns-2 queue/red.cc",
    year: 1993,
    opened: "code: ns-2.35 red.cc; the paper of 1993",
    compared: "average, probability, count, gentle",
    summary: "Drops or marks arriving packets at random, the more often the longer the queue has been \
              on average.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Code,
    build: |params, _| {
        let settings = Settings::sound(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(Red::new(&settings, port)))
        }))
    },
};

params! {
    /// The parameters as given, most of which CHOKe has too; what depends on the link is worked out
    /// for each.
    pub(super) struct Settings {
        /// below this average queue nothing is dropped
        #[usual("by rate: what leaves in 2.5 ms, at least 5 packets")]
        th_min: Option<Segments>,
        /// the average queue at which the probability of a drop is max_p
        #[usual("by th_min: three times as much")]
        th_max: Option<Segments>,
        /// the probability of a drop at th_max
        max_p: Ratio = "0.1",
        /// the weight of one sample in the average
        #[usual("by rate: a time constant of ten round trips, these being at least 0.1 s")]
        #[check(|q_w| q_w > 0.0, "above 0: the average would never move")]
        q_w: Option<Ratio>,
        /// whether the probability rises from max_p to one between th_max and twice that
        gentle: bool = "true",
        /// whether drops keep a distance from one another
        wait: bool = "true",
        /// whether the queue is measured in bytes, and large packets are dropped more often
        bytes: bool = "true",
        /// bytes that count as one packet
        #[usual("by path: a full-size packet")]
        #[check(|size| size >= 1.0, "a size of at least 1 byte")]
        mean_pktsize: Option<Number>,
        /// whether max_p follows the average (Floyd, Gummadi, Shenker: Adaptive RED, 2001)
        adaptive: bool = "false",
        /// whether marked startup packets are treated alike or dropped first
        marked: Marked = "alike",
        ecn: bool as ControlLaw,
        /// ecn=true: the probability of a drop up to which packets are marked (ns-2)
        #[usual("by max_p: as much, so that nothing is marked above th_max (RFC 3168 §7)")]
        mark_p: Option<Ratio>,
    }

    pub(super) enum Marked { Alike = "alike", First = "first" }
}

impl Settings {
    /// Those that go with one another.
    pub(super) fn sound(params: &Params) -> Result<Settings, SpecError> {
        let settings = Settings::read(params)?;
        let Settings {
            th_min,
            th_max,
            ecn,
            mark_p,
            ..
        } = settings;
        if th_max.is_some() && th_max <= th_min {
            return Err(SpecError::bad_value(
                params,
                &Settings::th_max,
                "above `th_min`",
            ));
        }
        if th_max.is_some() && th_min.is_none() {
            let right = "of use without `th_min`";
            return Err(SpecError::bad_value(params, &Settings::th_max, right));
        }
        if mark_p.is_some() && !ecn {
            let right = "of use without `ecn=true`";
            return Err(SpecError::bad_value(params, &Settings::mark_p, right));
        }
        Ok(settings)
    }
}

/// Target delay in seconds (ns-2's `targetdelay_`).
const TARGET_DELAY: f64 = 0.005;
/// ns-2 takes round trips to be at least this long.
const LEAST_RTT: f64 = 0.1;
/// Adaptive RED's `interval_`, `alpha_`, `beta_` and the bounds of max_p.
const INTERVAL: Duration = Duration::from_millis(500);
const ALPHA: f64 = 0.01;
const BETA: f64 = 0.9;
const TOP: f64 = 0.5;
const BOTTOM: f64 = 0.01;

/// What decides about early drops; the queue itself is elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Detector {
    /// Capacity of the line in packets per second.
    ptc: f64,
    th_min: f64,
    th_max: f64,
    max_p: f64,
    q_w: f64,
    gentle: bool,
    wait: bool,
    bytes: bool,
    mean_pktsize: f64,
    adaptive: bool,
    ecn: bool,
    mark_p: Option<f64>,
    last_set: Instant,
    /// Average queue length.
    avg: f64,
    /// Packets, and their bytes, since the last drop or since the average passed th_min.
    count: u64,
    count_bytes: u64,
    /// Whether the average was above th_min at the last arrival.
    old: bool,
}

/// The verdict of the average on an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advice {
    /// The packet is accepted.
    Admit,
    /// Drop it with this probability.
    Early(f64),
    /// The packet is dropped in any case.
    Forced,
}

impl Advice {
    /// Whether the packet is dropped; draws only where there is a choice.
    pub(super) fn refuses(self, random: &mut Pcg64Mcg) -> bool {
        match self {
            Advice::Admit => false,
            Advice::Early(p) => share(random) <= p,
            Advice::Forced => true,
        }
    }
}

impl Detector {
    pub(super) fn new(settings: &Settings, port: &Port) -> Detector {
        let mean_pktsize = settings.mean_pktsize.unwrap_or(f64::from(port.packet));
        let ptc = port.rate.map_or(f64::INFINITY, |rate| rate.bps() as f64) / (8.0 * mean_pktsize);
        let rtt = (3.0 * (port.delay.secs() + 1.0 / ptc)).max(LEAST_RTT);
        let th_min = settings
            .th_min
            .unwrap_or_else(|| (TARGET_DELAY * ptc / 2.0).max(5.0));
        Detector {
            ptc,
            th_min,
            th_max: settings.th_max.unwrap_or(3.0 * th_min),
            max_p: settings.max_p,
            q_w: settings
                .q_w
                .unwrap_or_else(|| 1.0 - libm::exp(-1.0 / (10.0 * rtt * ptc))),
            gentle: settings.gentle,
            wait: settings.wait,
            bytes: settings.bytes,
            mean_pktsize,
            adaptive: settings.adaptive,
            ecn: settings.ecn,
            mark_p: settings.mark_p,
            last_set: Instant::ZERO,
            avg: 0.0,
            count: 0,
            count_bytes: 0,
            old: false,
        }
    }

    /// The queue in the unit of the thresholds.
    fn length(&self, waiting: Backlog) -> f64 {
        if self.bytes {
            waiting.bytes as f64 / self.mean_pktsize
        } else {
            waiting.packets as f64
        }
    }

    /// Ages the average by the time for which the link has been idle, as if packets had
    /// come to an empty queue all the while.
    pub(super) fn age(&mut self, context: &QueueContext<'_>) {
        if let Some(since) = context.idle_since {
            let m = (self.ptc * context.now.since(since).secs()) as u64;
            self.avg *= power(1.0 - self.q_w, m);
        }
    }

    /// A packet comes to a queue of this length, which the packet is not part of.
    pub(super) fn arrival(
        &mut self,
        wire: u32,
        waiting: Backlog,
        context: &QueueContext<'_>,
    ) -> Advice {
        self.avg = (1.0 - self.q_w) * self.avg + self.q_w * self.length(waiting);
        if self.adaptive && context.now > self.last_set + INTERVAL {
            self.adapt(context.now);
        }
        self.count += 1;
        self.count_bytes += u64::from(wire);
        self.advice(wire, waiting)
    }

    fn advice(&mut self, wire: u32, waiting: Backlog) -> Advice {
        // ns-2 compares with one byte, or one packet.
        let queue = if self.bytes {
            waiting.bytes
        } else {
            waiting.packets
        };
        if self.avg < self.th_min || queue <= 1 {
            self.old = false;
            return Advice::Admit;
        }
        let full = if self.gentle { 2.0 } else { 1.0 } * self.th_max;
        if self.avg >= full {
            return Advice::Forced;
        }
        if !self.old {
            self.old = true;
            self.count = 1;
            self.count_bytes = u64::from(wire);
            return Advice::Admit;
        }
        Advice::Early(self.modify(self.base(self.avg), wire))
    }

    /// The probability that belongs to an average.
    fn base(&self, avg: f64) -> f64 {
        if avg < self.th_max {
            let share = (avg - self.th_min) / (self.th_max - self.th_min);
            self.max_p * share.max(0.0)
        } else if self.gentle && avg < 2.0 * self.th_max {
            (1.0 - self.max_p) * avg / self.th_max + 2.0 * self.max_p - 1.0
        } else {
            1.0
        }
    }

    /// The probability once it is known how many packets have come since the last drop.
    fn modify(&self, p: f64, wire: u32) -> f64 {
        let count = if self.bytes {
            // Whole packets, as ns-2 divides.
            (self.count_bytes as f64 / self.mean_pktsize).floor()
        } else {
            self.count as f64
        };
        let expected = count * p;
        let spaced = match (self.wait, expected) {
            (true, x) if x < 1.0 => 0.0,
            (true, x) if x < 2.0 => p / (2.0 - x),
            (false, x) if x < 1.0 => p / (1.0 - x),
            _ => 1.0,
        };
        let size = if self.bytes {
            f64::from(wire) / self.mean_pktsize
        } else {
            1.0
        };
        if spaced < 1.0 {
            (spaced * size).min(1.0)
        } else {
            1.0
        }
    }

    /// Whether a packet is to be marked rather than dropped, if its sender understands.
    fn marks(&self) -> bool {
        self.ecn && self.base(self.avg) <= self.mark_p.unwrap_or(self.max_p)
    }

    /// A packet is refused; `room` where there would be room for it. Whether it is marked instead
    /// of being dropped, where its sender understands marks. Either starts the count anew.
    pub(super) fn marks_instead(
        &mut self,
        room: bool,
        packet: &mut Packet,
        context: &mut QueueContext<'_>,
    ) -> bool {
        self.count = 0;
        self.count_bytes = 0;
        room && self.marks() && context.mark(packet)
    }

    /// Whether the average calls for an early drop.
    pub(super) fn above_minimum(&self) -> bool {
        self.avg >= self.th_min
    }

    /// max_p is moved so that the average stays between the thresholds.
    fn adapt(&mut self, now: Instant) {
        let part = 0.4 * (self.th_max - self.th_min);
        if self.avg < self.th_min + part && self.max_p > BOTTOM {
            self.max_p *= BETA;
            self.last_set = now;
        } else if self.avg > self.th_max - part && self.max_p < TOP {
            self.max_p += ALPHA.min(self.max_p / 4.0);
            self.last_set = now;
        }
    }
}

/// By squaring, with equal results on every machine; `powi` does not guarantee this.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut rest) = (1.0, base, exponent);
    while rest > 0 {
        if rest % 2 == 1 {
            result *= square;
        }
        square *= square;
        rest /= 2;
    }
    result
}

/// State of the discipline on one link.
#[derive(Debug)]
struct Red {
    line: Line,
    all: Detector,
    /// For packets without a mark, where they are counted separately.
    unmarked: Option<Detector>,
    random: Pcg64Mcg,
}

impl Red {
    fn new(settings: &Settings, port: &Port) -> Red {
        let detector = Detector::new(settings, port);
        Red {
            line: Line::default(),
            unmarked: (settings.marked == Marked::First).then(|| detector.clone()),
            all: detector,
            random: port.random.clone(),
        }
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, mut packet: Packet, context: &mut QueueContext<'_>) -> bool {
        let waiting = self.line.backlog();
        let apart = waiting.without(self.line.marked());
        self.all.age(context);
        if let Some(unmarked) = &mut self.unmarked {
            unmarked.age(context);
        }
        // Every average is kept up by all that concerns it; one decides.
        let (detector, advice) = match &mut self.unmarked {
            Some(unmarked) if !packet.tags.startup_excess => {
                self.all.arrival(packet.wire, waiting, context);
                let advice = unmarked.arrival(packet.wire, apart, context);
                (unmarked, advice)
            }
            _ => {
                let advice = self.all.arrival(packet.wire, waiting, context);
                (&mut self.all, advice)
            }
        };
        let room = context.has_room(waiting, packet.wire);
        let refused = advice.refuses(&mut self.random) || !room;
        if refused && !detector.marks_instead(room, &mut packet, context) {
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
    use super::super::discipline::KIND;
    use super::*;
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, capable, marked, packet, port};
    use flowstart_control::Rate;

    fn detector_on(rate: u64, spec: &str) -> Detector {
        let params = Params::parse(KIND, "red", Settings::PARAMS, spec).unwrap();
        let settings = Settings::sound(&params).unwrap();
        let port = Port {
            rate: Some(Rate(rate)),
            ..port()
        };
        Detector::new(&settings, &port)
    }

    fn detector(spec: &str) -> Detector {
        detector_on(12_000_000, &format!("th_min=5,th_max=15{spec}"))
    }

    fn near(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance
    }

    #[test]
    fn the_probability_rises_to_max_p_and_gently_to_one() {
        let gentle = detector("");
        let expected = [
            (4.0, 0.0),
            (5.0, 0.0),
            (7.5, 0.025),
            (10.0, 0.05),
            (15.0, 0.1),
            (20.0, 0.4),
            (25.0, 0.7),
            (29.9, 0.994),
            (30.0, 1.0),
        ];
        for (avg, p) in expected {
            assert!(
                near(gentle.base(avg), p, 1e-9),
                "{avg}: {}",
                gentle.base(avg)
            );
        }
        assert_eq!(detector(",gentle=false").base(15.0), 1.0);
    }

    #[test]
    fn waiting_keeps_drops_apart() {
        let spaced = |wait: bool, count| {
            let mut detector = detector(&format!(",bytes=false,wait={wait}"));
            detector.count = count;
            detector.modify(0.05, 1500)
        };
        let waits = [
            (1, 0.0),
            (10, 0.0),
            (19, 0.0),
            (20, 0.05),
            (21, 0.0526),
            (30, 0.1),
            (39, 1.0),
            (40, 1.0),
        ];
        for (count, p) in waits {
            assert!(near(spaced(true, count), p, 5e-5), "{count}");
        }
        for (count, p) in [(1, 0.0526), (10, 0.1), (19, 1.0)] {
            assert!(near(spaced(false, count), p, 5e-5), "{count}");
        }
    }

    #[test]
    fn large_packets_are_dropped_more_often_where_bytes_count() {
        let mut detector = detector(",mean_pktsize=500,wait=false");
        detector.count_bytes = 1500;
        // Three mean packets have come, and this is worth three.
        assert!(near(detector.modify(0.05, 1500), 3.0 * 0.05 / 0.85, 1e-12));
    }

    #[test]
    fn an_idle_time_ages_the_average_by_the_packets_that_could_have_come() {
        let mut detector = detector(",q_w=0.002,mean_pktsize=1500");
        detector.avg = 10.0;
        let mut events = std::collections::VecDeque::new();
        // 100 slots of 1 ms.
        let context = QueueContext {
            now: Instant::from_millis(150),
            idle_since: Some(Instant::from_millis(50)),
            in_service: Backlog::default(),
            buffer: Bench::buffer(Limit::Unlimited),
            events: &mut events,
        };
        detector.age(&context);
        assert!(near(detector.avg, 8.1857, 5e-5), "{}", detector.avg);
    }

    #[test]
    fn what_is_not_given_follows_from_the_rate() {
        let one = detector_on(10_000_000, "mean_pktsize=1000");
        assert!(near(one.q_w, 0.000_799_68, 5e-9), "{}", one.q_w);
        let other = detector_on(10_000_000, "mean_pktsize=500");
        assert!(near(other.q_w, 0.000_399_92, 5e-9), "{}", other.q_w);
        assert!(near(other.th_min, 6.25, 1e-9) && near(other.th_max, 18.75, 1e-9));
    }

    #[test]
    fn adaptive_red_moves_max_p_towards_where_the_average_stays_between() {
        let mut detector = detector(",adaptive=true");
        detector.avg = 14.0;
        detector.adapt(Instant::from_millis(501));
        assert!(near(detector.max_p, 0.11, 1e-12));
        detector.avg = 6.0;
        detector.adapt(Instant::from_millis(1002));
        assert!(near(detector.max_p, 0.099, 1e-12));
    }

    /// Keeps so many packets in the queue, one after the other leaving, and counts those
    /// that are refused.
    fn losses(spec: &str, held: u64) -> u64 {
        let mut bench = Bench::new(spec, Limit::Unlimited);
        let mut refused = 0;
        for n in 0..2000 {
            bench.dequeue();
            while bench.backlog().packets < held {
                refused += u64::from(!bench.enqueue(packet(n)));
            }
        }
        refused
    }

    #[test]
    fn a_long_queue_loses_packets_and_a_short_one_none() {
        let spec = "red:th_min=5,th_max=15,q_w=0.02";
        assert_eq!(losses(spec, 4), 0);
        assert!(losses(spec, 12) > 20);
    }

    #[test]
    fn marked_packets_go_first_where_that_is_asked_for() {
        let mixed = |n| if n % 2 == 0 { marked(n) } else { packet(n) };
        let mut bench = Bench::new(
            "red:th_min=5,th_max=15,q_w=0.02,marked=first",
            Limit::Unlimited,
        );
        let mut lost = [0, 0];
        for n in 0..3000 {
            if bench.backlog().packets > 8 {
                bench.dequeue();
            }
            lost[usize::from(n % 2 == 0)] += u32::from(!bench.enqueue(mixed(n)));
        }
        assert_eq!(
            lost[0], 0,
            "unmarked packets, of which fewer than five wait"
        );
        assert!(lost[1] > 20, "{}", lost[1]);
    }

    /// Refusals and marks while so many packets of a sender that speaks ECN wait.
    fn answers(spec: &str, held: u64) -> (u64, usize) {
        let spec = format!("red:th_min=5,th_max=15,q_w=0.02,{spec}");
        let mut bench = Bench::new(&spec, Limit::Packets(60));
        let mut refused = 0;
        for n in 0..3000 {
            bench.dequeue();
            while bench.backlog().packets < held {
                refused += u64::from(!bench.enqueue(capable(n)));
            }
            if n == 1000 {
                // The average has settled.
                bench.marked();
                refused = 0;
            }
        }
        (refused, bench.marked().len())
    }

    #[test]
    fn packets_are_marked_up_to_th_max_and_dropped_above() {
        let (refused, marked) = answers("ecn=true", 12);
        assert!(refused == 0 && marked > 20, "{refused} {marked}");
        let (refused, marked) = answers("ecn=true", 20);
        assert!(refused > 20 && marked == 0, "{refused} {marked}");
        assert_eq!(answers("ecn=false", 12).1, 0);
    }

    #[test]
    fn as_ns_2_has_it_marks_know_no_bounds_but_the_buffer() {
        let (refused, marked) = answers("ecn=true,mark_p=1", 20);
        assert!(refused == 0 && marked > 20, "{refused} {marked}");
        let (refused, marked) = answers("ecn=true,mark_p=1", 40);
        assert!(refused == 0 && marked >= 1990, "all of them: {marked}");
        let mut bench = Bench::new("red:ecn=true,mark_p=1", Limit::Packets(20));
        assert_eq!((0..30).filter(|n| bench.enqueue(capable(*n))).count(), 20);
    }
}
