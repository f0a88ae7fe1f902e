//! XCP's router: it writes into every packet by how much its sender is to change its throughput.
//!
//! D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product
//! Networks", SIGCOMM 2002, §3.5, as ns-2.35's `xcpq.cc` has it. Once in a control
//! interval, the mean round trip of its traffic, the router works out how much the whole of
//! its input is to change: a part of what the line has to spare, less a part of the queue
//! that does not drain otherwise. During the next interval it hands that out. An increase is
//! divided evenly between flows, a decrease in proportion to throughput; a little of the
//! traffic is always taken from one and given to another, so that shares become equal. A
//! packet needs no state for its flow: it carries its sender's window and round trip.
//!
//! Packets that do not fit are refused, as by drop-tail. Those without a congestion header
//! count as input and are otherwise left alone.
//!
//! # Contested
//!
//! - Feedback is a change of throughput, as in ns-2; the paper's is a change of the window.
//! - The queue is to drain within the control interval. That is the mean round trip, as in the
//!   paper's formula, but not below a millisecond, where ns-2 still divides by the round trip.
//! - After an interval without traffic the next begins with the next packet; in ns-2 intervals
//!   of 50 ms continue. Nothing is handed out after an interval without congestion headers, where
//!   ns-2 divides by one.

use super::discipline::{Contents, Discipline, Maker, QueueContext, Queued};
use super::line::Line;
use flowstart_control::entry::{Certainty, Entry, Need};
use flowstart_control::params::Ratio;
use flowstart_control::{Duration, Instant, Rate, params};
use flowstart_wire::Packet;
use flowstart_wire::{Body, CongestionHeader};

/// Entry of `xcp` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "xcp",
    title: "XCP router",
    source: "Katabi, Handley, Rohrs: Congestion Control for High Bandwidth-Delay Product \
             Networks, SIGCOMM 2002; ns-2.35 xcp/xcpq.cc",
    year: 2002,
    opened: "code: ns-2.35 xcpq.cc",
    compared: "efficiency, fairness, shuffled traffic",
    summary: "Drop-tail that writes into the congestion headers of XCP's data by how much each \
              sender is to change its throughput.",
    params: Gains::PARAMS,
    needs: &[Need::Routers, Need::Peer],
    certainty: Certainty::Code,
    build: |params, _| {
        let gains = Gains::read(params)?;
        Ok(Box::new(move |port| match port.rate {
            Some(rate) => Some(Box::new(Xcp::new(gains, rate))),
            None => None,
        }))
    },
};

/// The control interval while no round trip is known: xcpq.h, INITIAL_Te_VALUE.
const INITIAL: Duration = Duration::from_millis(50);
/// Minimum control interval: xcpq.cc, XCP_MIN_INTERVAL.
const SHORTEST: Duration = Duration::from_millis(1);
/// No round trip counts as longer: xcpq.cc, XCP_MAX_INTERVAL.
const LONGEST: f64 = 1.0;
/// The queue is observed for at least so long: xcpq.cc, L 35.
const SHORTEST_QUEUE: Duration = Duration::from_millis(2);

params! {
    /// The parameters of the control law.
    struct Gains {
        /// the part of the spare rate that is handed out in a control interval
        alpha: Ratio = "0.4",
        /// the part of the standing queue that is taken back in a control interval
        beta: Ratio = "0.226",
        /// the part of the traffic that is taken from flows and given to flows where there is
        /// nothing else to hand out
        gamma: Ratio = "0.1",
    }
}

impl Gains {
    /// What is to be handed out in the next interval (§3.5): on a line of
    /// `capacity`, with `input` coming (both bytes per second) and `queue` bytes that have
    /// stood for the whole of an `interval`.
    fn pools(&self, capacity: f64, input: f64, queue: f64, interval: f64) -> Pools {
        let phi = self.alpha * (capacity - input) - self.beta * queue / interval;
        let shuffled = (self.gamma * input - phi.abs()).max(0.0);
        Pools {
            positive: phi.max(0.0) + shuffled,
            negative: (-phi).max(0.0) + shuffled,
        }
    }
}

/// Changes of throughput to hand out, bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pools {
    positive: f64,
    negative: f64,
}

/// What came in a control interval.
#[derive(Clone, Copy, Debug, Default)]
struct Input {
    /// Bytes of all packets in the interval.
    bytes: f64,
    /// The sum over packets with a congestion header of round trip per segment of window,
    /// seconds: each flow's share of it is the time for which it sent.
    spacing: f64,
    /// The sum weighted by the round trip.
    weighted: f64,
}

/// The seconds between the segments of a sender.
fn spacing(header: &CongestionHeader) -> f64 {
    header.rtt.secs() / header.cwnd
}

impl Input {
    fn add(&mut self, packet: &Packet) {
        self.bytes += f64::from(packet.wire);
        let Body::Data(data) = &packet.body else {
            return;
        };
        if let Some(header) = data.congestion() {
            let spacing = spacing(&header);
            self.spacing += spacing;
            self.weighted += spacing * header.rtt.secs().min(LONGEST);
        }
    }

    /// The mean round trip of senders.
    fn mean_rtt(&self) -> Option<Duration> {
        (self.spacing > 0.0).then(|| Duration::from_secs_f64(self.weighted / self.spacing))
    }
}

/// What is left of the pools, and how packets share them (§3.5).
#[derive(Clone, Copy, Debug, Default)]
struct Shares {
    left: Pools,
    /// For each second of spacing.
    positive: f64,
    /// Decrease for each byte.
    negative: f64,
}

impl Shares {
    /// `pools` for as much traffic as came in the last interval.
    fn new(pools: Pools, input: &Input) -> Shares {
        let each = |pool: f64, of: f64| if of > 0.0 { pool / of } else { 0.0 };
        Shares {
            left: pools,
            positive: each(pools.positive, input.spacing),
            negative: each(pools.negative, input.bytes),
        }
    }

    /// The change of throughput that a packet of `wire` bytes takes with it, with a request for
    /// `asked`.
    fn take(&mut self, spacing: f64, wire: u32, asked: f64) -> f64 {
        let mut up = (self.positive * spacing).min(self.left.positive);
        let mut down = (self.negative * f64::from(wire)).min(self.left.negative);
        let share = up - down;
        if asked < share {
            // Another router has left less, and the rest stays for others: what is too much
            // counts as taken from this flow (xcpq.cc, L 26 and 27).
            down = (down + (share - asked)).min(self.left.negative);
            up = (asked + down).clamp(0.0, up);
        }
        self.left.positive -= up;
        self.left.negative -= down;
        share.min(asked)
    }
}

/// How much has waited all the time: a queue that drains within a round trip is none.
#[derive(Clone, Copy, Debug)]
struct StandingQueue {
    /// Minimum of the last period that has ended, bytes.
    bytes: u64,
    /// Minimum of this one so far.
    least: u64,
    ends: Instant,
}

/// State of the discipline on one link.
#[derive(Debug)]
struct Xcp {
    gains: Gains,
    /// Capacity of the line in bytes per second.
    capacity: f64,
    line: Line,
    input: Input,
    shares: Shares,
    /// The mean round trip, as last found.
    rtt: Duration,
    /// The control interval's length and end; `None` before the first packet, and from the end
    /// of one without traffic to the next packet.
    interval: Option<(Duration, Instant)>,
    queue: StandingQueue,
}

impl Xcp {
    fn new(gains: Gains, rate: Rate) -> Xcp {
        Xcp {
            gains,
            capacity: rate.bps() as f64 / 8.0,
            line: Line::default(),
            input: Input::default(),
            shares: Shares::default(),
            rtt: INITIAL,
            interval: None,
            queue: StandingQueue {
                bytes: 0,
                least: 0,
                ends: Instant::ZERO,
            },
        }
    }

    /// Ends the intervals that are over by `now`, in order. The queue has not changed since
    /// the last call.
    fn catch_up(&mut self, now: Instant) {
        while let Some((length, end)) = self.interval {
            if self.queue.ends <= now.min(end) {
                self.end_queue_period();
            } else if end <= now {
                self.end_interval(length, end);
            } else {
                return;
            }
        }
    }

    /// The first packet after a quiet time begins the interval.
    fn wake(&mut self, now: Instant) {
        if self.interval.is_none() {
            self.interval = Some((INITIAL, now + INITIAL));
            self.queue = StandingQueue {
                bytes: 0,
                least: self.line.backlog().bytes,
                ends: now + INITIAL,
            };
        }
    }

    fn end_interval(&mut self, length: Duration, end: Instant) {
        let input = std::mem::take(&mut self.input);
        self.rtt = input.mean_rtt().unwrap_or(INITIAL);
        let next = self.rtt.max(SHORTEST);
        self.shares = Shares::default();
        self.interval = Some((next, end + next));
        if input.bytes > 0.0 {
            let came = input.bytes / length.secs();
            let standing = self.queue.bytes as f64;
            let pools = self.gains.pools(self.capacity, came, standing, next.secs());
            self.shares = Shares::new(pools, &input);
        } else if self.line.backlog().packets == 0 {
            self.interval = None;
        }
    }

    /// xcpq.cc, L 33 to 36: the next period is half of the round trip without the queue.
    fn end_queue_period(&mut self) {
        let now = self.line.backlog().bytes;
        let drains = Duration::from_secs_f64(now as f64 / self.capacity);
        let period = self.rtt.saturating_sub(drains).over(2).max(SHORTEST_QUEUE);
        self.queue = StandingQueue {
            bytes: self.queue.least,
            least: now,
            ends: self.queue.ends + period,
        };
    }

    /// Writes into a congestion header what the router allows.
    fn stamp(&mut self, packet: &mut Packet) {
        let Body::Data(data) = &mut packet.body else {
            return;
        };
        let Some(mut header) = data.congestion() else {
            return;
        };
        header.feedback = if header.rtt == Duration::ZERO {
            // No feedback is possible for a sender without a round-trip time.
            header.feedback.min(0.0)
        } else {
            self.shares
                .take(spacing(&header), packet.wire, header.feedback)
        };
        data.set_congestion(header);
    }
}

impl Discipline for Xcp {
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool {
        if context
            .idle_since
            .is_some_and(|since| since <= self.queue.ends)
        {
            self.queue.least = 0;
        }
        self.catch_up(context.now);
        self.wake(context.now);
        self.input.add(&packet);
        let room = context.has_room(self.line.backlog(), packet.wire);
        if room {
            self.line.push(packet, context.now);
        }
        room
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        self.catch_up(context.now);
        self.queue.least = self.queue.least.min(self.line.backlog().bytes);
        let mut queued = self.line.pop()?;
        self.stamp(&mut queued.packet);
        Some(queued)
    }

    fn contents(&self) -> &dyn Contents {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::super::discipline::KIND;
    use super::*;
    use crate::queue::Backlog;
    use crate::queue::testing::{Bench, packet};
    use crate::queue::{BufferAccounting, DropTail, Limit};
    use flowstart_control::params::Params;
    use proptest::prelude::*;

    const RTT: Duration = Duration::from_millis(100);

    fn gains() -> Gains {
        Gains::read(&Params::parse(KIND, "xcp", ENTRY.params, "").unwrap()).unwrap()
    }

    fn assert_near(found: f64, expected: f64) {
        let near = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        assert!(near, "{found} is not {expected}");
    }

    #[test]
    fn spare_rate_is_handed_out_the_queue_taken_back_and_a_tenth_moved() {
        // C = 10 Mbit/s, y = 8 Mbit/s, Q = ten packets, d = 100 ms: phi = 66 100 B/s.
        let pools = gains().pools(1.25e6, 1e6, 15_000.0, 0.1);
        assert_near(pools.positive, 100_000.0);
        assert_near(pools.negative, 33_900.0);
    }

    #[test]
    fn more_than_a_tenth_to_hand_out_leaves_nothing_to_move() {
        let pools = gains().pools(1.25e6, 0.25e6, 0.0, 0.1);
        assert_eq!((pools.positive, pools.negative), (400_000.0, 0.0));
        let pools = gains().pools(1.25e6, 1.75e6, 0.0, 0.1);
        assert_eq!((pools.positive, pools.negative), (0.0, 200_000.0));
    }

    #[test]
    fn an_increase_is_even_among_flows_and_a_decrease_goes_by_throughput() {
        // In 100 ms: ten packets of a sender with a window of ten, forty of one with forty.
        let input = Input {
            bytes: 75_000.0,
            spacing: 0.1 + 0.1,
            weighted: 0.02,
        };
        let pools = Pools {
            positive: 100_000.0,
            negative: 50_000.0,
        };
        let of = |packets: u32, pools| {
            let mut shares = Shares::new(pools, &input);
            let take = |_| shares.take(0.1 / f64::from(packets), 1500, f64::INFINITY);
            (0..packets).map(take).sum::<f64>()
        };
        assert_near(of(10, pools), 50_000.0 - 10_000.0);
        assert_near(of(40, pools), 50_000.0 - 40_000.0);
    }

    #[test]
    fn what_another_router_has_allowed_is_not_raised() {
        let input = Input {
            bytes: 15_000.0,
            spacing: 0.1,
            weighted: 0.01,
        };
        let pools = Pools {
            positive: 100_000.0,
            negative: 50_000.0,
        };
        let mut shares = Shares::new(pools, &input);
        // Its share would be 10 000 - 5000.
        assert_near(shares.take(0.01, 1500, 2000.0), 2000.0);
        assert_near(shares.left.positive, 90_000.0);
        assert_near(shares.left.negative, 42_000.0);
        assert_near(shares.take(0.01, 1500, -70_000.0), -70_000.0);
        assert!(shares.left.negative >= 0.0 && shares.left.positive <= 90_000.0);
    }

    /// A packet of a sender with this window.
    fn asking(seq: u64, cwnd: f64, rtt: Duration) -> Packet {
        let mut packet = packet(seq);
        let Body::Data(data) = &mut packet.body else {
            panic!("{packet:?}")
        };
        data.set_congestion(CongestionHeader {
            cwnd,
            rtt,
            feedback: f64::INFINITY,
        });
        packet
    }

    /// A router on a line of 10 Mbit/s, with a buffer for everything, without its link.
    struct Router {
        xcp: Xcp,
        now: Instant,
    }

    impl Router {
        fn new() -> Router {
            Router {
                xcp: Xcp::new(gains(), Rate(10_000_000)),
                now: Instant::ZERO,
            }
        }

        /// A packet comes at a transmitter that is free and leaves at once: its feedback.
        fn pass(&mut self, at: Instant, packet: Packet) -> f64 {
            self.now = at;
            let mut events = std::collections::VecDeque::new();
            let mut context = QueueContext {
                now: at,
                idle_since: Some(at),
                in_service: Backlog::default(),
                buffer: DropTail {
                    limit: Limit::Unlimited,
                    reading: BufferAccounting::Linux,
                },
                events: &mut events,
            };
            assert!(self.xcp.enqueue(packet, &mut context));
            let left = self.xcp.dequeue(&mut context).unwrap();
            match &left.packet.body {
                Body::Data(data) => data.congestion().map_or(f64::NAN, |h| h.feedback),
                _ => f64::NAN,
            }
        }
    }

    #[test]
    fn a_lone_senders_second_flight_is_given_its_part_of_the_line() {
        let mut router = Router::new();
        // Ten packets in a first interval of 50 ms: nothing is known yet.
        let first = (0..10).map(|n| router.pass(Instant::from_millis(n), asking(n, 10.0, RTT)));
        assert_eq!(first.sum::<f64>(), 0.0);
        let second =
            (0..10).map(|n| router.pass(Instant::ZERO + RTT + Duration(n), asking(n, 10.0, RTT)));
        // 15 000 bytes in 50 ms are 0.3 MB/s; 0.4 of the 0.95 that are left.
        assert_near(second.sum::<f64>(), 380_000.0);
    }

    #[test]
    fn one_that_does_not_know_its_round_trip_is_given_nothing_and_others_are_left_alone() {
        let mut router = Router::new();
        for n in 0..10 {
            router.pass(Instant::from_millis(n), asking(n, 10.0, RTT));
        }
        assert_eq!(
            router.pass(Instant::ZERO + RTT, asking(0, 10.0, Duration::ZERO)),
            0.0
        );
        assert!(router.pass(Instant::ZERO + RTT, packet(1)).is_nan());
        assert!(router.pass(Instant::ZERO + RTT, asking(2, 10.0, RTT)) > 0.0);
    }

    #[test]
    fn after_an_interval_without_traffic_nothing_is_handed_out() {
        let mut router = Router::new();
        for n in 0..10 {
            router.pass(Instant::from_millis(n), asking(n, 10.0, RTT));
        }
        assert_eq!(
            router.pass(Instant::from_secs(900), asking(0, 10.0, RTT)),
            0.0
        );
        let at = Instant::from_secs(900);
        assert_eq!(router.xcp.interval, Some((INITIAL, at + INITIAL)));
    }

    #[test]
    fn the_control_interval_is_the_mean_round_trip_of_senders_but_not_below_a_millisecond() {
        let interval_after = |rtts: [Duration; 2]| {
            let mut router = Router::new();
            // Both send as fast.
            for (n, rtt) in rtts.into_iter().enumerate() {
                router.pass(Instant::ZERO, asking(n as u64, rtt.secs() * 1000.0, rtt));
            }
            router.pass(Instant::from_millis(50), packet(0));
            router.xcp.interval.unwrap().0
        };
        let ms = Duration::from_millis;
        assert_eq!(interval_after([ms(100), ms(300)]), ms(200));
        assert_eq!(interval_after([ms(100), Duration::from_secs(3)]), ms(550));
        assert_eq!(interval_after([Duration(900); 2]), ms(1));
    }

    #[test]
    fn a_queue_counts_only_as_far_as_it_never_drained() {
        // Ten packets wait on a line of 12 Mbit/s, and one comes as one leaves. The queue is
        // looked at over half of a round trip less the 10 ms that it takes to drain.
        let least = |drained: bool| {
            let mut xcp = Xcp::new(gains(), Rate(12_000_000));
            let mut context = |now, coming: u64, leaving: u64| {
                let mut events = std::collections::VecDeque::new();
                let mut context = QueueContext {
                    now,
                    idle_since: None,
                    in_service: Backlog::default(),
                    buffer: DropTail {
                        limit: Limit::Unlimited,
                        reading: BufferAccounting::Linux,
                    },
                    events: &mut events,
                };
                for _ in 0..leaving {
                    xcp.dequeue(&mut context);
                }
                (0..coming).for_each(|n| assert!(xcp.enqueue(asking(n, 10.0, RTT), &mut context)));
                xcp.queue.bytes
            };
            context(Instant::ZERO, 10, 0);
            let standing = (1..200).map(|ms| {
                let all = if drained && ms == 100 { 11 } else { 1 };
                (ms, context(Instant::from_millis(ms), all.min(10), all))
            });
            let late = standing.filter(|(ms, _)| *ms > 75);
            late.map(|(_, bytes)| bytes).min()
        };
        assert_eq!(least(false), Some(15_000));
        assert_eq!(least(true), Some(0));
    }

    #[test]
    fn a_full_queue_refuses() {
        let mut bench = Bench::new("xcp", Limit::Packets(2));
        assert!(bench.enqueue(packet(1)) && bench.enqueue(packet(2)));
        assert!(!bench.enqueue(packet(3)));
        assert!(bench.evicted().is_empty());
        assert_eq!(bench.drain(), [1, 2]);
    }

    proptest! {
        /// Any values of senders and of other routers.
        #[test]
        fn no_more_is_handed_out_in_an_interval_than_there_is(
            positive in 0.0..1e9f64,
            negative in 0.0..1e9f64,
            seen in prop::collection::vec((1.0..1e4f64, 1u64..3_000_000_000, 40u32..9000), 1..50),
            takers in prop::collection::vec(
                (1.0..1e4f64, 1u64..3_000_000_000, 40u32..9000, prop::option::of(-1e8..1e8f64)),
                1..200,
            ),
        ) {
            let mut input = Input::default();
            for (cwnd, rtt, wire) in seen {
                let mut packet = asking(0, cwnd, Duration(rtt));
                packet.wire = wire;
                input.add(&packet);
            }
            let mut shares = Shares::new(Pools { positive, negative }, &input);
            let (mut given, mut taken) = (0.0, 0.0);
            for (cwnd, rtt, wire, asked) in takers {
                let asked = asked.unwrap_or(f64::INFINITY);
                let change = shares.take(Duration(rtt).secs() / cwnd, wire, asked);
                prop_assert!(change <= asked);
                given += change.max(0.0);
                // A decrease by another router is not this one's.
                taken += (-change).max(0.0) - (-asked).max(0.0).min((-change).max(0.0));
                prop_assert!(shares.left.positive >= 0.0 && shares.left.negative >= 0.0);
            }
            prop_assert!(given <= positive * (1.0 + 1e-9), "{given} of {positive}");
            prop_assert!(taken <= negative * (1.0 + 1e-9), "{taken} of {negative}");
        }
    }
}
