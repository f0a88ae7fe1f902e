//! Paced Chirping: probe with trains whose packets come closer and closer.
//!
//! J. Misund and B. Briscoe, "Paced Chirping: Rethinking TCP start-up", Netdev 0x13, 2019, and
//! Misund's Linux module `paced_chirping.c`. A start-up that grows a window learns what the path
//! carries by filling its queue. A *chirp* asks with a few packets: the gaps between them
//! shrink from twice an average to nearly nothing, and the gap at which the queueing delay
//! begins to rise is the one that the path just carries (as in pathChirp). The queue drains
//! until the next chirp. Chirp by chirp the average gap approaches the path's; from round trip
//! to round trip there are more of them, until together they fill it. Then the path is known,
//! and about full: one bandwidth-delay product more, paced at that gap, and the congestion
//! avoidance goes on with what is out.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `gap` | 200 us | the first average gap |
//! | `chirps` | 2 | chirps in the first round trips, `M` |
//! | `gain` | 2 | by how much there are more from then on, each round trip |
//! | `geometry` | 2 | a chirp's first gap, in average gaps |
//! | `l` | 5 | packets that a rise of the delay must last, `L` |
//! | `round_length` | `with-gaps` | what of the chirps counts towards filling the round trip |
//! | `delayed_acks` | `share` | what an acknowledgement of several packets does |
//! | `growth`, `limit`, `iw`, `ssthresh` | as [`super::slow_start`] | where there is no chirping |
//!
//! # State
//!
//! The average gap; `M`, and how many chirps of how much time this round has had; the chirp
//! that is leaving and those that are out, with the queueing delay of each packet.
//!
//! # Contested
//!
//! - The rules are those of the module's first published form. A later one measures the load
//!   besides, and the spacing of acknowledgements; it is another algorithm.
//! - pathChirp takes the gap behind the packet from which the delay rises, the module the wider
//!   one before it; this follows the module.
//! - The module's first form counts the chirps' own lengths against the round trip. As there is
//!   an average gap between two chirps at least, and the round trip includes what queues, they
//!   may never come to it; a later form counts these gaps, and so does the default here.
//! - Packets need acknowledgements of their own. Those that share one share its delay, as in
//!   the module; `delayed_acks=leave` goes over to slow start instead, as its authors require
//!   receivers that do not delay.
//! - The window is what lets a chirp leave: between chirps it is what is out.
//! - Loss is not dealt with by the authors; here it ends the start-up with what is out.
//! - Where fewer packets wait than the next chirp has, slow start takes over.

use super::{LossResponse, Startup};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::signals::{Ack, Established, Idle, Loss, Sent};
use crate::slow_start::SlowStart;
use crate::{with_slow_start, Rate, Reason, Segments, Time, Window};
use std::collections::VecDeque;

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "paced-chirping",
    title: "Paced Chirping",
    source: "Misund, Briscoe: Paced Chirping, Netdev 0x13, 2019; Linux module paced_chirping.c",
    year: 2019,
    opened: "code: Misund's tcp_dctcp.c and paced_chirping.c, and paced_chirping.c of ij1/linux-flowstartup",
    compared: "chirps, excursions, estimate, rounds, end",
    summary: "Sends trains whose gaps shrink, finds the gap at which a queue begins, and packs \
              such trains closer until they fill the round trip.",
    params: with_slow_start![GAP, CHIRPS, GAIN, GEOMETRY, L, ROUND_LENGTH, DELAYED_ACKS],
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build: |params, _| Ok(Box::new(PacedChirping::new(params)?)),
};

const GAP: ParamSpec = ParamSpec {
    name: "gap",
    unit: Unit::Time,
    default: "200us",
    meaning: "the first average gap between packets",
};

const CHIRPS: ParamSpec = ParamSpec {
    name: "chirps",
    unit: Unit::Number,
    default: "2",
    meaning: "chirps in each of the first round trips, the module's M",
};

const GAIN: ParamSpec = ParamSpec {
    name: "gain",
    unit: Unit::Number,
    default: "2",
    meaning: "by how much M is multiplied each round trip, once six chirps have been sent",
};

const GEOMETRY: ParamSpec = ParamSpec {
    name: "geometry",
    unit: Unit::Number,
    default: "2",
    meaning: "a chirp's first gap as a multiple of the average one, 1 to 3",
};

const L: ParamSpec = ParamSpec {
    name: "l",
    unit: Unit::Number,
    default: "5",
    meaning: "how many packets a rise of the delay must last to be a sign of the path, the \
              module's L",
};

const ROUND_LENGTH: ParamSpec = ParamSpec {
    name: "round_length",
    unit: Unit::Choice(&["with-gaps", "chirps"]),
    default: "with-gaps",
    meaning: "what counts towards filling the round trip, which ends the start-up: chirps with \
              the average gap behind each, or chirps alone",
};

const DELAYED_ACKS: ParamSpec = ParamSpec {
    name: "delayed_acks",
    unit: Unit::Choice(&["share", "leave"]),
    default: "share",
    meaning: "what an acknowledgement of several packets does: they share its delay, or \
              chirping is given up",
};

/// The longest chirp.
const LONGEST: usize = 16;
/// Chirps after which their number grows.
const PATIENCE: u64 = 6;
/// An estimate is taken to be within these, nanoseconds.
const ESTIMATES: (u64, u64) = (30_000, 10_000_000);
/// The average gap when chirping ends is at most this, nanoseconds.
const WIDEST: u64 = 5_000_000;
/// The least window of the last round.
const LEAST_LAST_WINDOW: f64 = 10.0;

/// A number in 1024ths, as the module counts (`G_G_SHIFT`).
#[derive(Clone, Copy, Debug)]
struct Fixed(u64);

impl Fixed {
    const ONE: u64 = 1024;

    fn new(number: f64) -> Fixed {
        Fixed((number * Fixed::ONE as f64) as u64)
    }

    fn times(self, n: u64) -> u64 {
        n.saturating_mul(self.0) / Fixed::ONE
    }

    fn whole(self) -> u64 {
        self.0 / Fixed::ONE
    }
}

/// A chirp's gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    packets: usize,
    /// The first gap, and by how much each is less than the one before, nanoseconds.
    first: u64,
    step: u64,
}

impl Shape {
    fn new(packets: usize, average: u64, geometry: Fixed) -> Shape {
        Shape {
            packets,
            first: geometry.times(average),
            step: Fixed(2 * (geometry.0 - Fixed::ONE)).times(average) / packets as u64,
        }
    }

    /// The gap after a packet, counted from 0.
    fn gap(&self, packet: usize) -> u64 {
        self.first.saturating_sub(self.step * packet as u64)
    }

    /// From the first packet to the last.
    fn length(&self) -> u64 {
        (0..self.packets - 1).map(|packet| self.gap(packet)).sum()
    }
}

/// Packets in a chirp by its number, counted from 0.
fn packets_of(chirp: u64) -> usize {
    match chirp {
        0 | 1 => 5,
        2 | 3 => 8,
        _ => LONGEST,
    }
}

/// How long a rise that begins at `start` lasts: the first packet after it, or one past the
/// last. It is over when the delay has come down by more than three eighths of its height.
fn excursion(delays: &[u64], start: usize) -> usize {
    let mut highest = 0;
    for (at, delay) in delays.iter().enumerate().skip(start + 1) {
        let height = delay.saturating_sub(delays[start]);
        if height * 8 <= highest * 5 {
            return at;
        }
        highest = highest.max(height);
    }
    delays.len()
}

/// The gap that the path just carries, from the queueing delays of a chirp's packets: the
/// module's `analyze_chirp`, whose `s[i]` is the gap before packet i.
fn estimate(delays: &[u64], shape: &Shape, l: usize) -> u64 {
    let packets = delays.len();
    let before = |packet: usize| shape.gap(packet - 1);
    let mut found = [None; LONGEST];
    // Where nothing is found the last gap stands.
    let mut rest = packets - 1;
    let mut at = 1;
    while at + 1 < packets {
        if delays[at] >= delays[at + 1] {
            at += 1;
            continue;
        }
        let end = excursion(delays, at);
        if end == packets {
            found[at..packets].fill(Some(before(at)));
            rest = at;
            break;
        }
        if end - at >= l {
            let rising = (at..end).filter(|k| delays[*k] < delays[*k + 1]);
            rising.for_each(|k| found[k] = Some(before(k)));
        }
        at = end;
    }
    let gaps = found[1..packets].iter();
    let sum: u64 = gaps.map(|gap| gap.unwrap_or(before(rest))).sum();
    (sum / (packets as u64 - 1)).clamp(ESTIMATES.0, ESTIMATES.1)
}

/// A chirp that is out.
#[derive(Clone, Copy, Debug)]
struct Chirp {
    number: u64,
    shape: Shape,
    /// Position of its first byte, and how many of its packets are acknowledged.
    start: u64,
    known: usize,
    delays: [u64; LONGEST],
}

/// The chirps of a round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// The number of the chirp that opens it.
    start: u64,
    sent: u64,
    length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Chirps leave or are waited for.
    Chirping,
    /// A last round trip, until so many bytes more have been acknowledged.
    Ending {
        until: u64,
    },
    Over,
}

/// What the parameters say.
#[derive(Clone, Copy, Debug)]
struct Rules {
    gain: Fixed,
    geometry: Fixed,
    l: usize,
    counts_gaps: bool,
    leaves: bool,
}

/// Paced Chirping.
struct PacedChirping {
    rules: Rules,
    phase: Phase,
    initial: Segments,
    gap_avg: u64,
    m: Fixed,
    started: u64,
    round: Round,
    /// The chirp that is leaving, and how many of its packets have.
    leaving: Option<(Shape, usize)>,
    out: VecDeque<Chirp>,
    rtts: RoundTrips,
    queued_until: u64,
    high: u64,
}

impl PacedChirping {
    fn new(params: &Params) -> Result<PacedChirping, SpecError> {
        let l = params.number("l");
        if !(1.0..=16.0).contains(&l) {
            let expected = "a number of packets from 1 to 16";
            return Err(SpecError::bad_value(params, "l", expected));
        }
        let gap_avg = params.time("gap").nanos();
        if !(1_000..=WIDEST).contains(&gap_avg) {
            return Err(SpecError::bad_value(
                params,
                "gap",
                "a time from 1us to 5ms",
            ));
        }
        Ok(PacedChirping {
            rules: Rules {
                gain: Fixed::new(params.within("gain", 1.0..=10.0)?),
                geometry: Fixed::new(params.within("geometry", 1.0..=3.0)?),
                l: l as usize,
                counts_gaps: params.choice("round_length") == "with-gaps",
                leaves: params.choice("delayed_acks") == "leave",
            },
            phase: Phase::Over,
            initial: 1.0,
            gap_avg,
            m: Fixed::new(params.within("chirps", 1.0..=100.0)?),
            started: 0,
            round: Round::default(),
            leaving: None,
            out: VecDeque::new(),
            rtts: RoundTrips::default(),
            queued_until: 0,
            high: 0,
        })
    }

    /// What the next packet waits for after the one before it.
    fn space(&self, w: &mut Window, gap: u64) {
        let wire = u64::from(w.wire());
        let rate = Rate::of(wire, Time(gap.max(1)));
        w.pacing = Some(Rate(rate.bps().max(1)));
    }

    /// Begins the next chirp where this round has one left; `flight` is out.
    fn next_chirp(&mut self, w: &mut Window, flight: u64) {
        if self.round.sent >= self.m.whole() {
            return self.wait(w, flight);
        }
        let shape = Shape::new(packets_of(self.started), self.gap_avg, self.rules.geometry);
        let data = self.queued_until.saturating_sub(self.high);
        if data < shape.packets as u64 * u64::from(w.mss) {
            return self.fall_back(w, flight);
        }
        let gap = if self.rules.counts_gaps {
            self.gap_avg
        } else {
            0
        };
        self.round.length += shape.length() + gap;
        self.round.sent += 1;
        self.started += 1;
        self.leaving = Some((shape, 0));
        w.cwnd = w.segments(flight).ceil() + shape.packets as f64;
        self.space(w, shape.gap(0));
    }

    /// Nothing leaves before the next round.
    fn wait(&self, w: &mut Window, flight: u64) {
        w.cwnd = w.segments(flight).floor().max(1.0);
    }

    /// The time from a chirp's last packet to the next chirp.
    fn guard(&self, shape: &Shape) -> u64 {
        let share = self.rtts.smoothed.nanos() / self.m.whole();
        share.saturating_sub(shape.length()).max(self.gap_avg)
    }

    /// A packet of the chirp has left: how long the one after the next waits.
    fn on_chirp_packet(&mut self, w: &mut Window, s: &Sent) {
        let Some((shape, sent)) = &mut self.leaving else {
            return;
        };
        if *sent == 0 {
            self.out.push_back(Chirp {
                number: self.started - 1,
                shape: *shape,
                start: s.seq,
                known: 0,
                delays: [0; LONGEST],
            });
        }
        *sent += 1;
        let (shape, sent) = (*shape, *sent);
        if sent + 1 < shape.packets {
            self.space(w, shape.gap(sent));
        } else if sent < shape.packets {
            self.space(w, self.guard(&shape));
        } else {
            self.leaving = None;
            self.next_chirp(w, s.flight);
        }
    }

    /// The delays of what an ACK covers. The ACK of a round's first packet begins the next.
    fn take_delays(&mut self, w: &Window, una: u64) {
        let mss = u64::from(w.mss);
        let delay = self.rtts.queueing().nanos();
        let mut round_over = false;
        for chirp in &mut self.out {
            let covered = (una.saturating_sub(chirp.start) / mss) as usize;
            let known = covered.min(chirp.shape.packets);
            if known > chirp.known {
                // The first two chirps are one round, which the analysis of the first ends.
                round_over |= chirp.known == 0 && chirp.number == self.round.start.max(2);
                chirp.delays[chirp.known..known].fill(delay);
                chirp.known = known;
            }
        }
        if round_over {
            self.end_round();
        }
    }

    /// Chirps that are known whole move the average. True where those of the round fill the
    /// round trip.
    fn analyse(&mut self) -> bool {
        while let Some(chirp) = self.out.front() {
            if chirp.known < chirp.shape.packets {
                break;
            }
            let delays = &chirp.delays[..chirp.known];
            let estimate = estimate(delays, &chirp.shape, self.rules.l);
            self.gap_avg = (self.gap_avg + estimate) / 2;
            let first = chirp.number == 0;
            self.out.pop_front();
            if first {
                self.end_round();
            }
            if self.round.length >= self.rtts.smoothed.nanos() {
                return true;
            }
        }
        false
    }

    fn end_round(&mut self) {
        if self.started >= PATIENCE && self.round.sent >= self.m.whole() {
            self.m = Fixed(self.rules.gain.times(self.m.0));
        }
        self.round = Round {
            start: self.started,
            ..Round::default()
        };
    }

    fn chirp(&mut self, w: &mut Window, a: &Ack) {
        self.take_delays(w, a.una);
        if self.analyse() {
            self.end(w, a.una);
        } else if self.leaving.is_none() {
            self.next_chirp(w, a.flight);
        }
    }

    /// Chirps fill the round trip: a last one at the gap that they found.
    fn end(&mut self, w: &mut Window, una: u64) {
        let gap = self.gap_avg.min(WIDEST);
        let target = self.rtts.least.nanos() / gap;
        w.cwnd = (2.0 * target as f64).max(LEAST_LAST_WINDOW);
        self.space(w, gap);
        let until = una + target * u64::from(w.mss);
        self.phase = Phase::Ending { until };
        self.leaving = None;
        self.out.clear();
    }

    /// There is not enough to send for a chirp.
    fn fall_back(&mut self, w: &mut Window, flight: u64) {
        let more = packets_of(self.started) as f64;
        w.cwnd = (w.segments(flight).ceil() + more).max(self.initial);
        self.cancel(w);
    }
}

impl Startup for PacedChirping {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        self.queued_until = e.queued;
        self.rtts.sample(e.rtt);
        if e.rtt.is_some_and(|rtt| rtt > Time::ZERO) {
            self.phase = Phase::Chirping;
            self.next_chirp(w, 0);
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.high = self.high.max(s.seq + u64::from(s.bytes));
        if self.phase == Phase::Chirping && !s.retransmission {
            self.on_chirp_packet(w, s);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.rtts.sample(a.rtt);
        self.queued_until = a.nxt.saturating_add(a.queued);
        if self.phase == Phase::Chirping && self.rules.leaves && a.acked > u64::from(w.mss) {
            self.fall_back(w, a.flight);
        }
        match self.phase {
            Phase::Over => {
                slow_start.grow(w, a);
                return None;
            }
            Phase::Chirping => self.chirp(w, a),
            Phase::Ending { until } if a.una >= until => {
                w.cwnd = w.segments(a.flight).floor().max(2.0).min(w.cwnd);
                w.ssthresh = w.cwnd;
                self.cancel(w);
                slow_start.leave_unused(a);
                return Some(Reason::Estimate);
            }
            Phase::Ending { .. } => {}
        }
        slow_start.leave_unused(a);
        None
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) -> LossResponse {
        if self.phase != Phase::Over {
            self.cancel(w);
            w.cwnd = w.segments(l.flight).clamp(1.0, w.cwnd);
        }
        LossResponse::Standard
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase != Phase::Over {
            w.pacing = None;
        }
        self.phase = Phase::Over;
        self.leaving = None;
        self.out.clear();
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }

    /// While it chirps the window is its own, whatever the threshold says.
    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Over || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{slow_start, with_reno};
    use crate::Convention;

    const US: u64 = 1_000;
    const RTT: Time = Time::from_millis(20);
    const TWICE: Fixed = Fixed(2 * Fixed::ONE);

    fn shape(packets: usize) -> Shape {
        Shape::new(packets, 200 * US, TWICE)
    }

    #[test]
    fn gaps_shrink_from_twice_the_average_by_equal_steps() {
        let long = shape(16);
        assert_eq!(
            (long.first, long.step, long.length()),
            (400 * US, 25 * US, 3_375 * US)
        );
        let short = shape(5);
        assert_eq!((short.step, short.length()), (80 * US, 1_120 * US));
        assert_eq!([0, 1, 2, 3, 4, 5].map(packets_of), [5, 5, 8, 8, 16, 16]);
    }

    fn start(spec: &str) -> PacedChirping {
        let params = Params::parse(
            crate::params::AlgorithmKind::STARTUP,
            "",
            ENTRY.params,
            spec,
        )
        .unwrap();
        let mut start = PacedChirping::new(&params).unwrap();
        start.rtts.sample(Some(RTT));
        start
    }

    #[test]
    fn chirps_are_as_far_apart_as_shares_the_round_trip_among_them() {
        assert_eq!(start("").guard(&shape(16)), 6_625 * US);
        assert_eq!(start("chirps=8").guard(&shape(16)), 200 * US);
    }

    /// Nothing queues for six packets, then each waits longer.
    fn rising_from(packet: usize) -> [u64; 16] {
        std::array::from_fn(|at| at.saturating_sub(packet) as u64 * 50 * US)
    }

    #[test]
    fn the_gap_at_which_the_delay_begins_to_rise_for_good_is_the_paths() {
        // 275 us before the seventh packet, behind which the delay rises.
        assert_eq!(estimate(&rising_from(6), &shape(16), 5), 275 * US);
        assert_eq!(estimate(&rising_from(0), &shape(16), 5), 400 * US);
        // No delay at all: the last gap, but no less than the least estimate.
        assert_eq!(estimate(&[0; 16], &shape(16), 5), 50 * US);
        assert_eq!(
            estimate(&[0; 16], &Shape::new(16, 100 * US, TWICE), 5),
            30 * US
        );
    }

    #[test]
    fn a_short_rise_is_noise_and_a_long_one_that_ends_counts_for_itself() {
        let mut delays = [0; 16];
        delays[3] = 100 * US;
        let shape = Shape::new(16, 400 * US, TWICE);
        assert_eq!(estimate(&delays, &shape, 5), 100 * US);
        let mut delays = [0; 16];
        for (rise, at) in (3..8).enumerate() {
            delays[at] = (rise as u64 + 1) * 100 * US;
        }
        // It rises behind packets 2 to 6, before which are gaps of 750 to 550 us; ten others take
        // the last, 100 us.
        let mean = (750 + 700 + 650 + 600 + 550 + 10 * 100) * US / 15;
        assert_eq!(estimate(&delays, &shape, 5), mean);
        assert_eq!(excursion(&delays, 2), 8);
    }

    #[test]
    fn each_chirp_moves_the_average_half_way() {
        let mut start = start("");
        let mut w = Window::new(1460);
        start.out.push_back(Chirp {
            number: 7,
            shape: Shape::new(16, 50 * US, TWICE),
            start: 0,
            known: 15,
            delays: rising_from(0),
        });
        start.rtts.sample(Some(RTT + Time(rising_from(0)[15])));
        w.cwnd = 16.0;
        start.take_delays(&w, 16 * 1460);
        assert!(!start.analyse());
        // Every gap is too short: twice the chirp's average of 50 us.
        assert_eq!((start.gap_avg, start.out.len()), (150 * US, 0));
    }

    /// So many chirps of the round have left when the analysis of one from before is due.
    fn ends_with(chirps: u64, round_length: &str) -> bool {
        let mut start = start(&format!("chirps=8,round_length={round_length}"));
        start.phase = Phase::Chirping;
        (start.started, start.queued_until) = (6, u64::MAX);
        let mut w = Window::new(1460);
        for _ in 0..chirps {
            start.next_chirp(&mut w, 0);
            start.leaving = None;
        }
        start.out.push_back(Chirp {
            number: 5,
            shape: shape(16),
            start: 0,
            known: 16,
            delays: rising_from(0),
        });
        start.analyse()
    }

    #[test]
    fn chirps_that_fill_the_round_trip_end_it() {
        // Of 3.375 ms each against a round trip of 20.
        for round_length in ["with-gaps", "chirps"] {
            let ends = [5, 6, 8].map(|chirps| ends_with(chirps, round_length));
            assert_eq!(ends, [false, true, true]);
        }
    }

    #[test]
    fn there_are_more_chirps_a_round_once_six_have_been_sent() {
        let mut start = start("");
        let m_after = |start: &mut PacedChirping, started, sent| {
            start.started = started;
            start.round.sent = sent;
            start.end_round();
            start.m.whole()
        };
        assert_eq!(m_after(&mut start, 4, 2), 2);
        assert_eq!(m_after(&mut start, 6, 2), 4);
        assert_eq!(m_after(&mut start, 9, 3), 4, "the round was not full");
    }

    #[test]
    fn the_last_round_is_paced_at_the_gap_with_two_products_for_a_window() {
        let mut start = start("gap=100us");
        let mut w = Window {
            header: 0,
            ..Window::new(1460)
        };
        start.end(&mut w, 0);
        assert_eq!(w.cwnd, 400.0);
        assert_eq!(w.pacing.unwrap().time_for(1460), Time(100 * US));
        assert_eq!(start.phase, Phase::Ending { until: 200 * 1460 });
        let ack = |una: u64| Ack {
            una: una * 1460,
            nxt: 400 * 1460,
            flight: (390 - una) * 1460,
            ..Ack::of(RTT, 1460)
        };
        assert_eq!(start.on_ack(&mut w, &ack(199), &mut slow_start()), None);
        assert_eq!(
            start.on_ack(&mut w, &ack(200), &mut slow_start()),
            Some(Reason::Estimate)
        );
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), (190.0, 190.0, None));
    }

    #[test]
    fn values_that_make_no_chirp_are_refused() {
        for (spec, expected) in [
            (
                "gap=6ms",
                "parameter `gap`: `6ms` is not a time from 1us to 5ms",
            ),
            (
                "gain=0",
                "parameter `gain`: `0` is not a number from 1 to 10",
            ),
            (
                "geometry=4",
                "parameter `geometry`: `4` is not a number from 1 to 3",
            ),
            (
                "l=0",
                "parameter `l`: `0` is not a number of packets from 1 to 16",
            ),
            (
                "chirps=0",
                "parameter `chirps`: `0` is not a number from 1 to 100",
            ),
        ] {
            let error = with_reno(&ENTRY, spec, Convention::Rfc).err().unwrap();
            let expected = format!("startup `paced-chirping`: {expected}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
