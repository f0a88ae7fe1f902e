//! Paced Start: short trains of packets, whose spacing is adapted until it is that at which they
//! arrive.
//!
//! N. Hu and P. Steenkiste, "Improving TCP Startup Performance using Active Measurements: Algorithm
//! and Evaluation", ICNP 2003. Slow start finds the available bandwidth by losing packets. Paced
//! Start measures it as the authors' tools IGI and PTR do: a train that leaves faster than the path
//! has room for arrives stretched, one that leaves slower arrives as it left. The spacing between the
//! two, the turning point, is that of the available bandwidth, and the window is what a round trip
//! holds at it.
//!
//! This is a reconstruction. The body of the paper was not at hand; trains, search and end are made
//! up after the method of the tools, and results of it are not the paper's.
//!
//! - The first train is the first window, back to back. The spacing of its ACKs is the first guess.
//! - Each round trip a train leaves at the spacing `gap`, twice as long as the one before up to
//!   `longest`, and the next waits until all of it is acknowledged.
//! - If it comes back spaced by more than `gap` and a tenth, it was too fast: `gap` doubles, or goes
//!   half way to what was slow enough. Otherwise it halves, or goes half way to what was too fast.
//! - It is over where a train comes back as it left, or the two bounds are within a tenth of `gap`.
//! - The window is then `rtt / gap`, paced for its first round trip.
//!
//! # State
//!
//! The length of the train and where it ends, `gap` and its bounds, the first ACK of the train and what
//! has arrived since, the minimum RTT; consecutive trains without a result.
//!
//! # Deviations
//!
//! - They are unknown without the paper's body.
//!
//! # Contested
//!
//! - After a loss the threshold is what the last train delivered, two packets at least. The window
//!   cannot be more than it was, and that is what is left of a train.
//! - The spacing of ACKs is the time from the first to the last of a train over the packets that those
//!   after the first acknowledge, so that delayed ACKs do not count as stretched. Where the last packet
//!   of a train waits alone for its ACK it does.
//! - A train of less than four packets, which an application may leave, gives no result and is sent
//!   again as long. Nor does one whose ACKs come all at once, as a shared medium hands them on: as
//!   they have no spacing, the window found would have no bound. After three consecutive ones slow
//!   start continues.
//! - The window found is paced by `gap` until its first ACK: after a train nothing is in flight that
//!   would clock it.
//! - No two trains are averaged against cross traffic.

use super::{Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::Ratio;
use crate::signals::{Ack, Established};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `paced-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "paced-start",
    title: "Paced Start",
    source: "Hu, Steenkiste: Improving TCP Startup Performance using Active Measurements: Algorithm \
             and Evaluation, ICNP 2003",
    year: 2003,
    opened: "the abstract and what others say of it; not the body of the paper",
    compared: "none: trains, search and end are reconstructed after the method of IGI and PTR",
    summary: "Sends a short paced train each round trip, searches for the spacing at which it arrives \
              as it left, and takes the window that this fills.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(PacedStart::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after a loss or a timeout.
    pub struct Settings {
        /// spacings that differ by less than this share are the same
        epsilon: Ratio = "0.1",
        /// how many packets a train has at most
        #[within(LEAST_TRAIN..=10_000)]
        longest: u32 = "32",
    }
}

/// A train of fewer packets gives no result.
const LEAST_TRAIN: u32 = 4;
/// So many consecutive trains without a result end the search.
const PATIENCE: u32 = 3;
const MIN_CWND: Segments = 2.0;

/// A train of packets, of which ACKs come back.
#[derive(Clone, Copy, Debug, Default)]
struct Train {
    /// Packets that it is to have, and where the last of them ends.
    length: u32,
    end: u64,
    /// When the first ACK came.
    first_ack: Option<Instant>,
    /// Bytes acknowledged by it, and after it.
    first: u64,
    after: u64,
}

impl Train {
    fn take(&mut self, a: &Ack) {
        match self.first_ack {
            None => (self.first_ack, self.first) = (Some(a.now), a.delivered),
            Some(_) => self.after += a.delivered,
        }
    }

    fn delivered(&self) -> u64 {
        self.first + self.after
    }

    /// All of it is acknowledged, or all that the application had for it.
    fn is_over(&self, a: &Ack) -> bool {
        a.una >= self.end || a.una >= a.nxt && a.queued == 0
    }

    /// Nanoseconds from one packet to the next as they came back.
    fn ack_gap(&self, w: &Window, now: Instant) -> Option<f64> {
        let first = self.first_ack?;
        let packets = w.segments(self.after);
        let enough = w.segments(self.delivered()) >= f64::from(LEAST_TRAIN);
        let took = now.since(first);
        (enough && packets > 0.0 && took > Duration::ZERO).then(|| took.nanos() as f64 / packets)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Trains,
    /// The window found leaves for the first time.
    Filling,
    Done,
}

/// State of Paced Start on one connection.
#[derive(Clone)]
struct PacedStart {
    settings: Settings,
    phase: Phase,
    train: Train,
    /// Nanoseconds between packets; the first train has none.
    gap: Option<f64>,
    /// Spacings that were too short, and long enough.
    lo: Option<f64>,
    hi: Option<f64>,
    rtts: RoundTrips,
    /// What the train before delivered, in bytes.
    delivered: u64,
    /// Consecutive trains that were long enough and gave no result.
    silent: u32,
}

impl PacedStart {
    fn new(settings: Settings) -> PacedStart {
        PacedStart {
            settings,
            phase: Phase::Trains,
            train: Train::default(),
            gap: None,
            lo: None,
            hi: None,
            rtts: RoundTrips::default(),
            delivered: 0,
            silent: 0,
        }
    }

    /// A train that left at `gap` has come back at `ack_gap`: the next spacing, and whether it is that
    /// of the available bandwidth.
    fn search(&mut self, gap: f64, ack_gap: f64) -> (f64, bool) {
        if (ack_gap - gap).abs() <= self.settings.epsilon * gap {
            return (gap, true);
        }
        let next = if ack_gap > gap {
            self.lo = Some(gap);
            self.hi.map_or(2.0 * gap, |hi| f64::midpoint(gap, hi))
        } else {
            self.hi = Some(gap);
            self.lo.map_or(gap / 2.0, |lo| f64::midpoint(lo, gap))
        };
        let apart = self.hi.zip(self.lo).map(|(hi, lo)| (hi - lo).abs());
        let close = apart.is_some_and(|apart| apart <= self.settings.epsilon * next);
        // At more than half of a round trip the window is two packets.
        let slow = 2.0 * next >= self.rtts.least.nanos() as f64;
        (next.max(1.0), close || slow || next < 1.0)
    }

    /// The train is over: the next, or the end of the search.
    fn decide(&mut self, w: &mut Window, a: &Ack) {
        let mut length = self.train.length;
        let ack_gap = self.train.ack_gap(w, a.now);
        self.silent = match ack_gap {
            None if length >= LEAST_TRAIN => self.silent + 1,
            _ => 0,
        };
        if self.silent == PATIENCE {
            return self.cancel(w);
        }
        match (self.gap, ack_gap) {
            (_, None) if length >= LEAST_TRAIN => {}
            (_, None) => length *= 2,
            (None, Some(ack_gap)) => {
                self.gap = Some(ack_gap.max(1.0));
                length *= 2;
            }
            (Some(gap), Some(ack_gap)) => {
                let (gap, over) = self.search(gap, ack_gap);
                self.gap = Some(gap);
                if over {
                    return self.fill(w, gap);
                }
                length *= 2;
            }
        }
        let longest = self.settings.longest.max(self.train.length);
        self.begin_train(w, a.nxt, length.min(longest));
    }

    fn begin_train(&mut self, w: &mut Window, from: u64, length: u32) {
        self.delivered = self.train.delivered();
        self.train = Train {
            length,
            end: from + u64::from(length) * u64::from(w.mss),
            ..Train::default()
        };
        w.cwnd = f64::from(length).min(w.ssthresh);
        self.pace(w);
    }

    fn pace(&self, w: &mut Window) {
        let gap = self.gap.map(|gap| Duration(gap as u64));
        w.pacing = gap.and_then(|gap| w.rate_over(1.0, gap));
    }

    /// The search is over: what a round trip holds at this spacing.
    fn fill(&mut self, w: &mut Window, gap: f64) {
        self.phase = Phase::Filling;
        self.delivered = self.train.delivered();
        let packets = (self.rtts.least.nanos() as f64 / gap).floor();
        w.cwnd = packets.max(MIN_CWND).min(w.ssthresh);
        self.pace(w);
    }

    /// Of a train as much may be out as is left of it.
    fn meter(&self, w: &mut Window, a: &Ack) {
        let left = w.segments(self.train.end.saturating_sub(a.una));
        w.cwnd = left.max(1.0).min(w.ssthresh);
    }

    fn end_at_threshold(&mut self, w: &mut Window) {
        if !w.in_slow_start() {
            self.cancel(w);
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase != Phase::Done {
            self.phase = Phase::Done;
            w.pacing = None;
        }
    }
}

impl Startup for PacedStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.rtts.sample(e.rtt);
        let length = u32::try_from(w.cwnd_segments()).unwrap_or(u32::MAX).max(1);
        self.begin_train(w, 0, length);
        self.end_at_threshold(w);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        match self.phase {
            Phase::Done => slow_start.grow(w, a),
            Phase::Filling => {
                self.cancel(w);
                slow_start.leave_unused(a);
                w.ssthresh = w.cwnd;
                return Some(Reason::Estimate);
            }
            Phase::Trains => {
                self.rtts.sample(a.rtt);
                self.train.take(a);
                if self.train.is_over(a) {
                    self.decide(w, a);
                } else {
                    self.meter(w, a);
                }
                self.end_at_threshold(w);
            }
        }
        None
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() || self.phase == Phase::Done {
            self.cancel(w);
            return Response::STANDARD;
        }
        let delivered = self.delivered.max(self.train.delivered());
        w.ssthresh = w.segments(delivered).max(MIN_CWND);
        w.cwnd = w.ssthresh.min(w.cwnd.max(MIN_CWND));
        self.cancel(w);
        Response::ends(Reduction::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Loss;
    use crate::testing::{self, at_ms, ms, with_reno};
    use crate::{Controller, Convention};

    const MSS: u64 = 1460;

    fn opened(spec: &str) -> (Controller, Window) {
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(100.0)),
            ..Established::at(Instant::ZERO)
        };
        testing::opened(&ENTRY, spec, Convention::RFC, MSS, &e)
    }

    /// A path of 100 ms on which a train that leaves at one spacing, in milliseconds, comes back at
    /// another.
    struct Path {
        c: Controller,
        w: Window,
        now: f64,
        una: u64,
    }

    impl Path {
        fn new(spec: &str) -> Path {
            let (c, w) = opened(spec);
            Path {
                c,
                w,
                now: 0.0,
                una: 0,
            }
        }

        fn gap(&self) -> f64 {
            self.w
                .pacing
                .map_or(0.0, |rate| 1500.0 * 8e3 / rate.bps() as f64)
        }

        /// All that the window lets out comes back at this spacing, so many packets to an ACK; the
        /// length of the train and its spacing as it left.
        fn train(&mut self, ack_gap: f64, per_ack: u64) -> (u64, f64) {
            let (length, gap) = (self.w.cwnd_segments(), self.gap());
            let nxt = self.una + length * MSS;
            self.now += 100.0;
            while self.una < nxt {
                let acked = (per_ack * MSS).min(nxt - self.una);
                self.una += acked;
                self.now += ack_gap * (acked / MSS) as f64;
                let ack = Ack {
                    una: self.una,
                    nxt,
                    rtt: Some(ms(100.0)),
                    ..Ack::of(at_ms(self.now), acked)
                };
                self.c.on_ack(&mut self.w, &ack);
            }
            (length, (gap * 1e3).round() / 1e3)
        }

        /// The first ACK of the window that was found.
        fn first_ack(&mut self) -> Option<Reason> {
            self.una += MSS;
            let ack = Ack {
                una: self.una,
                nxt: self.una,
                rtt: Some(ms(100.0)),
                ..Ack::of(at_ms(self.now + 100.0), MSS)
            };
            self.c.on_ack(&mut self.w, &ack);
            self.c.exit().map(|exit| exit.reason)
        }
    }

    #[test]
    fn a_train_that_comes_back_as_it_left_is_the_last() {
        for per_ack in [1, 2] {
            let mut path = Path::new("");
            assert_eq!(path.train(1.2, per_ack), (10, 0.0));
            assert_eq!(path.train(1.2, per_ack), (20, 1.2));
            assert_eq!((path.w.cwnd, path.c.exit()), (83.0, None));
            assert!((path.gap() - 1.2).abs() < 1e-6, "paced for a round trip");
            assert_eq!(path.first_ack(), Some(Reason::Estimate));
            assert_eq!((path.w.cwnd, path.w.ssthresh), (83.0, 83.0));
            assert_eq!(path.w.pacing, None);
            assert_eq!(path.c.exit().unwrap().cwnd, 83.0);
        }
    }

    #[test]
    fn cross_traffic_stretches_a_train_and_the_next_is_slower() {
        let mut path = Path::new("");
        path.train(1.2, 1);
        assert_eq!(path.train(1.8, 1), (20, 1.2));
        assert_eq!(path.train(2.4, 1), (32, 2.4));
        assert_eq!(path.w.cwnd, 41.0);
    }

    #[test]
    fn between_too_fast_and_slow_enough_it_bisects() {
        let mut path = Path::new("");
        path.train(1.0, 1);
        // Comes back faster than it left: half as long, and then between the two.
        assert_eq!(path.train(0.8, 1), (20, 1.0));
        assert_eq!(path.train(0.7, 1), (32, 0.5));
        assert_eq!(path.train(0.9, 1), (32, 0.75));
        assert_eq!(path.train(0.875, 1), (32, 0.875));
        assert_eq!(path.w.cwnd, 114.0);
    }

    #[test]
    fn bounds_within_a_tenth_end_it() {
        let mut path = Path::new("epsilon=0.2");
        path.train(1.0, 1);
        path.train(2.0, 1);
        assert_eq!(path.train(1.5, 1), (32, 2.0));
        assert_eq!(path.train(2.0, 1), (32, 1.5));
        // 1.5 and 2 ms are more than a fifth of 1.75 apart; 1.5 and 1.75 are not of 1.625.
        assert_eq!(path.train(1.3, 1), (32, 1.75));
        assert_eq!(path.w.cwnd, 61.0);
    }

    #[test]
    fn as_acks_arrive_no_more_is_sent_than_the_train_has() {
        let (mut c, mut w) = opened("");
        let ack = Ack {
            una: 3 * MSS,
            nxt: 10 * MSS,
            ..Ack::of(at_ms(100.0), 3 * MSS)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!(w.cwnd, 7.0);
    }

    #[test]
    fn a_train_of_three_packets_decides_nothing() {
        let mut path = Path::new("iw=3");
        assert_eq!(path.train(1.2, 1), (3, 0.0));
        assert_eq!(path.train(1.2, 1), (6, 0.0));
        assert_eq!(path.train(1.2, 1), (12, 1.2));
        assert_eq!(path.w.cwnd, 83.0);
    }

    #[test]
    fn after_three_trains_whose_acks_come_all_at_once_slow_start_goes_on() {
        let mut path = Path::new("");
        assert_eq!(path.train(0.0, 1), (10, 0.0));
        assert_eq!(path.train(0.0, 1), (10, 0.0));
        path.train(0.0, 1);
        assert_eq!((path.w.pacing, path.c.exit()), (None, None));
        let before = path.w.cwnd;
        path.first_ack();
        assert_eq!(path.w.cwnd, before + 1.0);
    }

    #[test]
    fn a_loss_ends_it_and_the_threshold_is_what_the_last_train_delivered() {
        let mut path = Path::new("");
        path.train(1.2, 1);
        let loss = Loss {
            now: at_ms(300.0),
            flight: 20 * MSS,
            usable: path.w.cwnd,
        };
        path.c.on_loss(&mut path.w, &loss);
        assert_eq!(path.c.exit().unwrap().reason, Reason::Loss);
        assert_eq!((path.w.cwnd, path.w.ssthresh), (10.0, 10.0));
        assert_eq!(path.w.pacing, None);
    }

    #[test]
    fn a_threshold_ends_it() {
        let mut path = Path::new("ssthresh=15");
        path.train(1.2, 1);
        assert_eq!((path.w.cwnd, path.w.pacing), (15.0, None));
        assert_eq!(path.c.exit().unwrap().reason, Reason::Ssthresh);
    }

    #[test]
    fn a_train_has_four_packets_at_least() {
        let refused = with_reno(&ENTRY, "longest=3", Convention::RFC);
        assert_eq!(
            refused.err().unwrap().to_string(),
            "startup `paced-start`: parameter `longest`: `3` is not a whole number from 4 to 10000"
        );
    }
}
