//! Swift Start: four segments measure the path, the second round trip uses it.
//!
//! C. Partridge, D. Rockwell, M. Allman, R. Krishnan, J. Sterbenz, "A Swifter Start for TCP",
//! BBN Technical Report 8339, 2002. Four segments leave back to back. The bottleneck spreads
//! them out, and their ACKs come back at this spacing: that is the time the bottleneck takes for
//! a segment. The round-trip time divided by it is the window that fills the path. As ACKs
//! may be squeezed together on their way, only a part of it, one `alpha`th, is used; it is
//! paced over the second round trip, and slow start continues from there. On fast long paths
//! this saves many rounds. On small ones it gains nothing, and the paper found it slightly
//! worse there.
//!
//! Everything depends on ACKs. `pair` reads them as the paper's successors describe it: the
//! four are two pairs, and the ACKs of the two segments of a pair make a sample; a receiver
//! that acknowledges a pair with one ACK gives none. `per-segment` divides any time between
//! ACKs by the segments that the later one covers, and so survives delayed ACKs.
//!
//! # State
//!
//! Whether it probes, paces or is done; the last ACK; up to four samples; where the paced
//! flight begins and when pacing ends.
//!
//! # Contested
//!
//! - Of the report only the abstract and citations were available: the rule is in
//!   parts a reconstruction, `alpha` as a divisor and the median among them.
//! - A sample longer than half a round trip is a receiver's timer, not a bottleneck.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::Number;
use crate::signals::{Ack, Established};
use crate::slow_start::{SlowStart, peer_window};
use crate::{Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `swift-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "swift-start",
    title: "Swift Start",
    source: "Partridge, Rockwell, Allman, Krishnan, Sterbenz: A Swifter Start for TCP, BBN TR 8339, \
             2002 (in parts a reconstruction); RFC 4782 appendix A.1",
    year: 2002,
    opened: "abstract of BBN TR 8339, and what RFC 4782 App. A and two papers say of it",
    compared: "pairs, share of the estimate, paced round trip",
    summary: "Measures the path by the ACKs of four segments and paces a part of the estimate \
              over the second round trip.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(SwiftStart::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply without an estimate.
    pub struct Settings {
        /// what makes a sample: the ACKs of the two segments of a pair, one each; or any two ACKs,
        /// divided by the segments that the later one covers
        ack_spacing: AckSpacing = "pair",
        /// only one such part of the estimate is used, from 1 to 8
        #[within(1.0..=8.0)]
        alpha: Number = "2",
        /// all: the median of the samples, when the four segments are acknowledged; early: the
        /// first sample, at once
        policy: Policy = "all",
        /// the threshold after pacing: left alone, or the full estimate
        after: After = "unlimited",
    }

    pub enum AckSpacing { Pair = "pair", PerSegment = "per-segment" }
    pub enum Policy { All = "all", Early = "early" }
    pub enum After { Unlimited = "unlimited", Estimate = "estimate" }
}

/// The segments of the probe.
const VOLLEY: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Probe,
    Pacing,
    Off,
}

/// State of Swift Start on one connection.
#[derive(Clone)]
struct SwiftStart {
    per_segment: bool,
    alpha: f64,
    early: bool,
    threshold: bool,
    phase: Phase,
    /// When the last ACK came and what it acknowledged.
    last: Option<(Instant, u64)>,
    rtt: Duration,
    samples: [Duration; VOLLEY as usize],
    count: usize,
    /// The paced flight begins here.
    paced_from: u64,
    pace_end: Instant,
}

impl SwiftStart {
    fn new(settings: Settings) -> SwiftStart {
        SwiftStart {
            per_segment: settings.ack_spacing == AckSpacing::PerSegment,
            alpha: settings.alpha,
            early: settings.policy == Policy::Early,
            threshold: settings.after == After::Estimate,
            phase: Phase::Off,
            last: None,
            rtt: Duration::ZERO,
            samples: [Duration::ZERO; VOLLEY as usize],
            count: 0,
            paced_from: 0,
            pace_end: Instant::ZERO,
        }
    }

    /// Takes the sample that this ACK and the one before it give.
    fn sample(&mut self, w: &Window, a: &Ack) {
        let Some((at, una)) = self.last.replace((a.now, a.una)) else {
            self.rtt = a.rtt.unwrap_or(Duration::ZERO);
            return;
        };
        let mss = u64::from(w.mss);
        let covered = (a.una - una).div_ceil(mss);
        // The second segment of a pair: the second or the fourth.
        let pair = covered == 1 && a.una.div_ceil(mss) % 2 == 0;
        if covered == 0 || !(self.per_segment || pair) {
            return;
        }
        let spacing = a.now.since(at).over(covered);
        if spacing > Duration::ZERO
            && spacing <= self.rtt.over(2)
            && self.count < self.samples.len()
        {
            self.samples[self.count] = spacing;
            self.count += 1;
        }
    }

    /// The median of the samples.
    fn median(&mut self) -> Option<Duration> {
        let samples = &mut self.samples[..self.count];
        samples.sort_unstable();
        let middle = samples.len() / 2;
        match samples.len() {
            0 => None,
            n if n % 2 == 1 => Some(samples[middle]),
            _ => Some((samples[middle - 1] + samples[middle]).over(2)),
        }
    }

    /// The estimate becomes the window, to be paced over one round trip.
    fn begin(&mut self, w: &mut Window, a: &Ack, spacing: Duration) {
        let full = self.rtt.secs() / spacing.secs();
        let most = peer_window(w, a.peer_window).max(w.cwnd);
        w.cwnd = (full / self.alpha).clamp(w.cwnd, most);
        if self.threshold {
            w.ssthresh = full.max(2.0);
        }
        w.pacing = w.rate_over(w.cwnd, Duration::ZERO + self.rtt);
        self.phase = Phase::Pacing;
        (self.paced_from, self.pace_end) = (a.nxt, a.now + self.rtt);
    }

    fn probe(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        self.sample(w, a);
        let all = a.una >= VOLLEY * u64::from(w.mss) || a.una >= a.nxt;
        if !(all || self.early && self.count > 0) {
            return None;
        }
        // A sender that had not four segments to send has no use for more.
        let Some(spacing) = self.median().filter(|_| a.cwnd_limited) else {
            self.phase = Phase::Off;
            return None;
        };
        self.begin(w, a, spacing);
        Some(Reason::Estimate)
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Pacing {
            w.pacing = None;
        }
        self.phase = Phase::Off;
    }
}

impl Startup for SwiftStart {
    /// Without a round-trip time a SYN was lost, and there is no volley.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        if e.rtt.is_some() {
            w.cwnd = VOLLEY as Segments;
            self.phase = Phase::Probe;
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        match self.phase {
            Phase::Probe => {
                let reason = self.probe(w, a);
                if self.phase == Phase::Off {
                    // No estimate: slow start, which the volley's ACKs have earned.
                    let volley = Ack {
                        credit: a.una,
                        ..*a
                    };
                    slow_start.grow(w, &volley);
                }
                reason
            }
            Phase::Pacing if a.una <= self.paced_from && a.now < self.pace_end => None,
            Phase::Pacing => {
                self.cancel(w);
                slow_start.grow(w, a);
                None
            }
            Phase::Off => {
                slow_start.grow(w, a);
                None
            }
        }
    }

    fn on_congestion(&mut self, w: &mut Window, _c: &Congestion) -> Response {
        self.cancel(w);
        Response::STANDARD
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Off || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Loss;
    use crate::testing::{at_ms, ms};
    use crate::{Controller, Convention, catalog};

    const MSS: u64 = 1460;

    /// The four segments left at zero; ACKs of so many of them come at these milliseconds.
    fn acked(spec: &str, acks: &[(u64, f64)]) -> (Controller, Window) {
        let spec = format!("swift-start:{spec}");
        let mut c = catalog::controller(&spec, "reno", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            rtt: Some(ms(100.0)),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!((w.cwnd, w.pacing), (4.0, None));
        let mut una = 0;
        for (segments, at) in acks {
            una += segments * MSS;
            let ack = Ack {
                una,
                nxt: 4 * MSS,
                rtt: Some(ms(*at)),
                ..Ack::of(at_ms(*at), segments * MSS)
            };
            c.on_ack(&mut w, &ack);
        }
        (c, w)
    }

    const EACH: [(u64, f64); 4] = [(1, 100.0), (1, 101.2), (1, 102.4), (1, 103.6)];
    const DELAYED: [(u64, f64); 2] = [(2, 101.2), (2, 103.6)];

    fn window(spec: &str, acks: &[(u64, f64)]) -> f64 {
        acked(spec, acks).1.cwnd
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 6e-3, "{found} is not {expected}");
    }

    #[test]
    fn four_acks_make_a_window() {
        for spacing in ["pair", "per-segment"] {
            let with = |alpha: u32| window(&format!("ack_spacing={spacing},alpha={alpha}"), &EACH);
            assert_near(with(2), 41.67);
            assert_near(with(1), 83.33);
            assert_near(with(8), 10.42);
        }
        let (c, w) = acked("", &EACH);
        let gap = w.pacing.unwrap().time_for(1_500);
        assert!(
            gap.saturating_sub(ms(2.4)) < Duration::from_nanos(1_000),
            "{gap}"
        );
        let exit = c.exit().unwrap();
        assert_eq!(
            (exit.reason, exit.cwnd, exit.at),
            (Reason::Estimate, 4.0, at_ms(103.6))
        );
    }

    #[test]
    fn one_ack_for_a_pair_gives_a_sample_only_per_segment() {
        assert_near(window("ack_spacing=per-segment", &DELAYED), 42.17);
        let (c, w) = acked("", &DELAYED);
        // Slow start instead: the volley is acknowledged, at most two segments count.
        assert_eq!((w.cwnd, w.pacing, c.exit()), (6.0, None, None));
    }

    #[test]
    fn squeezed_or_lost_acks() {
        let squeezed = [(1, 100.0), (1, 100.1), (1, 102.4), (1, 103.6)];
        assert_near(window("ack_spacing=per-segment,alpha=1", &squeezed), 83.33);
        // The pairs give 0.1 and 1.2 ms.
        assert_near(window("alpha=1", &squeezed), 153.85);
        let lost = [(1, 100.0), (2, 102.4), (1, 103.6)];
        assert_near(window("ack_spacing=per-segment,alpha=1", &lost), 83.33);
        assert_near(window("alpha=1", &lost), 83.33);
    }

    #[test]
    fn a_t1_line() {
        let acks = [(1, 116.74), (1, 124.512), (1, 132.284), (1, 140.056)];
        assert_near(window("alpha=1", &acks), 15.02);
        assert_near(window("alpha=2", &acks), 7.51);
    }

    #[test]
    fn an_estimate_below_the_volley_changes_nothing() {
        let acks = [(1, 100.0), (1, 140.0), (1, 180.0), (1, 220.0)];
        assert_eq!(window("alpha=1", &acks), 4.0);
    }

    #[test]
    fn a_receivers_timer_is_no_bottleneck() {
        let acks = [(1, 100.0), (1, 200.0), (1, 300.0), (1, 400.0)];
        let (c, w) = acked("", &acks);
        assert_eq!((w.pacing, c.exit()), (None, None));
    }

    #[test]
    fn the_early_policy_takes_the_first_sample() {
        assert_near(window("policy=early,alpha=1", &EACH[..2]), 83.33);
        assert_eq!(window("", &EACH[..2]), 4.0);
    }

    #[test]
    fn pacing_ends_with_the_first_ack_of_the_paced_flight() {
        let (mut c, mut w) = acked("after=estimate", &EACH);
        assert_near(w.ssthresh, 83.33);
        let at = |t: f64, una: u64| Ack {
            una: una * MSS,
            nxt: 30 * MSS,
            ..Ack::of(at_ms(t), MSS)
        };
        c.on_ack(&mut w, &at(150.0, 4));
        assert!(w.pacing.is_some());
        assert_near(w.cwnd, 41.67);
        c.on_ack(&mut w, &at(201.0, 5));
        assert_eq!(w.pacing, None);
        assert_near(w.cwnd, 42.67);
    }

    #[test]
    fn a_loss_ends_it() {
        let (mut c, mut w) = acked("", &EACH);
        let loss = Loss {
            now: at_ms(150.0),
            flight: 20 * MSS,
            usable: 20.0,
        };
        c.on_loss(&mut w, &loss);
        assert_eq!((w.pacing, w.cwnd), (None, 10.0));
    }

    #[test]
    fn alpha_is_from_one_to_eight() {
        let error = catalog::controller("swift-start:alpha=9", "reno", Convention::RFC);
        assert_eq!(
            error.err().unwrap().to_string(),
            "startup `swift-start`: parameter `alpha`: `9` is not a number from 1 to 8"
        );
    }
}
