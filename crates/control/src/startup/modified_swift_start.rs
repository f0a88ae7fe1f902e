//! Modified Swift Start: the receiver, not the sender, measures the spacing of pairs.
//!
//! A. Elbery, E. Khalil, B. Nosier, I. Morsi, "Swift Start TCP, Problems, Modification,
//! Analytical and Simulation Studies", SENSORCOMM 2008, and an OPNET study of the same
//! algorithm over T1 and OC-1 lines, whose rules and tables these are. What spoils a packet
//! pair is mostly the reverse path: delayed ACKs, ACKs squeezed together or queued. Here the
//! sender tags the segments of two pairs as first and second, the receiver takes the time
//! between them as they arrive and returns it in an option of its next ACK. The sender sets
//! its window to `RTT * MSS / gap` after the first pair, again after the second, and paces it
//! over the second round trip; with the first ACK of the paced segments slow start continues.
//! No safety factor is left, since the reverse path cannot spoil the measure any more.
//!
//! # State
//!
//! Whether it probes, paces or is done; segments sent; measurements still to use; where the
//! paced flight begins and when pacing ends.
//!
//! # Contested
//!
//! - The study's copy at hand names neither author nor year, and the paper of 2008 was not at
//!   hand. Two of the study's equations are upside down and are read the right way round.
//! - The second pair queues behind the first, so its round trip is longer and the second
//!   window larger: an over-estimate of the source's own making, kept, since its tables show
//!   it.
//! - According to the study it cannot over-estimate. Its own OC-1 table does, by 16 %: the ACK of
//!   the first pair holds up a router just when the second pair arrives there.
//! - The window is that of the payload, `MSS` over the spacing of whole packets, as in the
//!   tables.
//! - The paced flight keeps the spacing of the first measurement.

use super::{Assisted, Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::Number;
use crate::signals::{Ack, Established, PeerGap, Sent};
use crate::slow_start::SlowStart;
use crate::window::Pair;
use crate::{Duration, Instant, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `modified-swift-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "modified-swift-start",
    title: "Modified Swift Start",
    source: "Elbery, Khalil, Nosier, Morsi: Swift Start TCP, Problems, Modification, Analytical \
             and Simulation Studies, SENSORCOMM 2008; rules from an OPNET study of the same",
    year: 2008,
    opened: "text: the study, its equations and tables",
    compared: "pairs, both windows, paced round trip, option of the receiver",
    summary: "Swift Start whose receiver measures the spacing of tagged pairs and returns it in \
              an option.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Peer],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(ModifiedSwiftStart::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after the paced flight.
    pub struct Settings {
        /// so many of the receiver's measurements set the window, one or both
        #[check(|updates| updates == 1.0 || updates == 2.0, "1 or 2")]
        updates: Number = "2",
    }
}

/// Segments of the probe, two pairs.
const VOLLEY: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Probe,
    Pacing,
    Off,
}

/// State of Modified Swift Start on one connection.
#[derive(Clone)]
struct ModifiedSwiftStart {
    updates_left: u32,
    phase: Phase,
    sent: u64,
    /// The paced flight begins here.
    paced_from: u64,
    pace_end: Instant,
    /// The window was set by what this ACK carries.
    set: bool,
}

impl ModifiedSwiftStart {
    fn new(settings: Settings) -> ModifiedSwiftStart {
        ModifiedSwiftStart {
            updates_left: settings.updates as u32,
            phase: Phase::Off,
            sent: 0,
            paced_from: 0,
            pace_end: Instant::ZERO,
            set: false,
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Pacing {
            w.pacing = None;
        }
        w.tags.pair = Pair::None;
        self.phase = Phase::Off;
    }
}

/// `RTT * MSS / gap`, in whole bytes.
fn window(rtt: Duration, mss: u32, gap: Duration) -> u64 {
    let bytes = u128::from(rtt.nanos()) * u128::from(mss) / u128::from(gap.nanos().max(1));
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

impl Startup for ModifiedSwiftStart {
    /// Without a round-trip time a SYN was lost, and there is no volley.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        if e.rtt.is_some() {
            w.cwnd = VOLLEY as Segments;
            w.tags.pair = Pair::First;
            self.phase = Phase::Probe;
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.phase == Phase::Probe && !s.retransmission {
            self.sent += 1;
            w.tags.pair = match self.sent {
                VOLLEY.. => Pair::None,
                n if n % 2 == 1 => Pair::Second,
                _ => Pair::First,
            };
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let set = std::mem::take(&mut self.set);
        let paced_acked = a.una > self.paced_from || a.now >= self.pace_end;
        match self.phase {
            Phase::Pacing if set || !paced_acked => return None,
            Phase::Pacing => self.cancel(w),
            // The receiver did not answer: nothing will come any more.
            Phase::Probe if a.una >= VOLLEY * u64::from(w.mss) => self.cancel(w),
            Phase::Probe | Phase::Off => {}
        }
        slow_start.grow(w, a);
        None
    }

    /// A volley that takes longer than the first timeout still arrives, and what the receiver
    /// measured of it is as true as without the timeout.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if self.phase == Phase::Pacing || !c.is_timeout() {
            self.cancel(w);
        }
        w.tags.pair = Pair::None;
        Response::STANDARD
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Off || w.in_slow_start()
    }
}

impl Assisted for ModifiedSwiftStart {
    /// The first measurement begins pacing, the second only corrects the window.
    fn on_peer_gap(&mut self, w: &mut Window, g: &PeerGap) -> Option<Reason> {
        let rtt = g.rtt.filter(|rtt| *rtt > Duration::ZERO)?;
        if self.phase == Phase::Off || self.updates_left == 0 || g.gap == Duration::ZERO {
            return None;
        }
        self.updates_left -= 1;
        self.set = true;
        let volley = VOLLEY * u64::from(w.mss);
        // The peer's window bounds what is sent, not the estimate, as the tables show. No
        // path holds a petabyte.
        let bytes = window(rtt, w.mss, g.gap).min(1 << 50);
        w.cwnd = w.segments(bytes.max(volley));
        if self.phase == Phase::Pacing {
            return None;
        }
        w.pacing = Some(Rate::of(u64::from(w.wire()), g.gap).max(Rate(1)));
        w.tags.pair = Pair::None;
        self.phase = Phase::Pacing;
        (self.paced_from, self.pace_end) = (g.nxt, g.now + rtt);
        Some(Reason::Estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_reno;
    use crate::{Controller, Convention};

    const MSS: u64 = 1460;

    fn volley() -> (Controller, Window, Vec<Pair>) {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            rtt: Some(Duration::from_millis(100)),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!((w.cwnd, w.pacing), (4.0, None));
        let mut tags = vec![];
        for number in 0..4 {
            tags.push(w.tags.pair);
            let sent = Sent {
                now: Instant::ZERO,
                bytes: MSS as u32,
                seq: number * MSS,
                retransmission: false,
                flight: (number + 1) * MSS,
            };
            c.on_sent(&mut w, &sent);
        }
        tags.push(w.tags.pair);
        (c, w, tags)
    }

    #[test]
    fn two_pairs_are_marked() {
        let expected = [
            Pair::First,
            Pair::Second,
            Pair::First,
            Pair::Second,
            Pair::None,
        ];
        assert_eq!(volley().2, expected);
    }

    /// An ACK of so many segments that carries a gap.
    fn answer(c: &mut Controller, w: &mut Window, una: u64, rtt: Duration, gap: Duration) -> u64 {
        let told = PeerGap {
            now: Instant::ZERO + rtt,
            gap,
            rtt: Some(rtt),
            nxt: 4 * MSS,
            peer_window: u64::MAX,
        };
        c.on_peer_gap(w, &told);
        let ack = Ack {
            una: una * MSS,
            nxt: 4 * MSS,
            rtt: Some(rtt),
            ..Ack::of(Instant::ZERO + rtt, 2 * MSS)
        };
        c.on_ack(w, &ack);
        w.cwnd_bytes()
    }

    /// The windows after the first and the second pair, round trips in units of 10 us.
    fn windows(rtt: u64, gap: f64, later: Duration, second: Duration) -> (u64, u64) {
        let (mut c, mut w, _) = volley();
        let rtt = Duration::from_micros(10 * rtt);
        let gap = Duration::from_secs_f64(gap);
        let first = answer(&mut c, &mut w, 2, rtt, gap);
        (first, answer(&mut c, &mut w, 4, rtt + later, second))
    }

    #[test]
    fn table_2_of_the_study() {
        let d = 12_000.0 / 1_544_000.0;
        let gap = Duration::from_secs_f64(d);
        for (rtt, first, second) in [
            (11_674, 21_929, 24_849),
            (11_381, 21_379, 24_300),
            (11_481, 21_567, 24_488),
            (12_281, 23_070, 25_991),
            (13_281, 24_948, 27_869),
            (21_281, 39_977, 42_898),
            (31_281, 58_762, 61_683),
            (51_281, 96_333, 99_254),
            (71_281, 133_903, 136_824),
            (91_281, 171_474, 174_395),
            (111_281, 209_045, 211_966),
            (131_336, 246_719, 249_638),
            (151_281, 284_186, 287_107),
            (171_281, 321_757, 324_678),
        ] {
            let found = windows(rtt, d, gap.times(2), gap);
            assert!(found.0.abs_diff(first) <= 1, "{found:?} at {rtt}");
            assert!(found.1.abs_diff(second) <= 1, "{found:?} at {rtt}");
        }
    }

    /// Behind the line a router's 200 us a packet are shorter than the line's own 231.
    #[test]
    fn table_3_of_the_study() {
        let d = 12_000.0 / 51_840_000.0;
        for (rtt, first, second) in [
            (7_327, 462_128, 539_251),
            (7_407, 467_174, 545_091),
            (7_507, 473_481, 552_391),
            (8_307, 523_939, 610_791),
            (9_307, 587_011, 683_791),
            (17_307, 1_091_587, 1_267_791),
            (27_307, 1_722_307, 1_997_791),
            (47_307, 2_983_747, 3_457_791),
            (67_307, 4_245_187, 4_917_791),
            (87_307, 5_506_627, 6_377_791),
            (107_307, 6_768_067, 7_837_791),
            (127_307, 8_029_507, 9_297_791),
            (147_307, 9_290_947, 10_757_791),
            (167_307, 10_552_387, 12_217_791),
        ] {
            let found = windows(
                rtt,
                d,
                Duration::from_micros(600),
                Duration::from_micros(200),
            );
            // A gap in whole nanoseconds is right to 2e-6.
            let near = (found.0 as f64 - f64::from(first)) / f64::from(first);
            assert!(near.abs() < 5e-6, "{found:?} at {rtt}");
            assert_eq!(found.1, second, "at {rtt}");
        }
    }

    #[test]
    fn gaps_in_microseconds_would_be_too_coarse() {
        assert_eq!(
            window(
                Duration::from_micros(73_270),
                1460,
                Duration::from_micros(231)
            ),
            463_091
        );
        let text = window(
            Duration::from_micros(132_280),
            1460,
            Duration::from_micros(7_772),
        );
        assert_eq!(text, 24_849);
    }

    #[test]
    fn the_second_round_trip_is_paced_by_the_gap() {
        let (mut c, mut w, _) = volley();
        let (rtt, gap) = (Duration::from_micros(312_810), Duration::from_micros(7_772));
        answer(&mut c, &mut w, 2, rtt, gap);
        let spacing = w.pacing.unwrap().time_for(1_500);
        assert!(
            spacing.saturating_sub(gap) < Duration::from_micros(1),
            "{spacing}"
        );
        let exit = c.exit().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::Estimate, 4.0));
        answer(&mut c, &mut w, 4, rtt + gap.times(2), gap);
        let before = w.cwnd;
        assert!(w.pacing.is_some());
        // The first paced segment is acknowledged: slow start.
        let ack = Ack {
            una: 5 * MSS,
            nxt: 40 * MSS,
            ..Ack::of(Instant::ZERO + rtt + rtt, MSS)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!((w.pacing, w.cwnd), (None, before + 1.0));
    }

    #[test]
    fn the_peers_window_does_not_bound_the_estimate() {
        let (mut c, mut w, _) = volley();
        let told = PeerGap {
            now: Instant::from_millis(100),
            gap: Duration::from_micros(200),
            rtt: Some(Duration::from_millis(100)),
            nxt: 4 * MSS,
            peer_window: 65_535,
        };
        c.on_peer_gap(&mut w, &told);
        assert_eq!(w.cwnd_bytes(), 500 * MSS);
    }

    #[test]
    fn a_receiver_that_does_not_answer_leaves_slow_start() {
        let (mut c, mut w, _) = volley();
        let ack = |una: u64| Ack {
            una: una * MSS,
            nxt: 10 * MSS,
            ..Ack::of(Instant::from_millis(100), 2 * MSS)
        };
        c.on_ack(&mut w, &ack(2));
        c.on_ack(&mut w, &ack(4));
        assert_eq!((w.cwnd, w.pacing), (8.0, None));
        assert_eq!(
            answer(&mut c, &mut w, 6, Duration::from_millis(100), Duration(1)),
            10 * MSS
        );
    }

    #[test]
    fn there_are_two_pairs() {
        let error = with_reno(&ENTRY, "updates=3", Convention::RFC)
            .err()
            .unwrap();
        assert!(
            error
                .to_string()
                .ends_with("parameter `updates`: `3` is not 1 or 2")
        );
    }
}
