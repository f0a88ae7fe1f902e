//! Landing: the window that a flow takes as its startup ends, whatever ended it.
//!
//! Startup and congestion control have their rules for this, which hold unless a rule of this file
//! takes their place. It applies once, to the exit that a loss, a mark or a sign of a full
//! path has caused; an exit with a known threshold, an estimate or a timeout is no landing.
//!
//! - A factor of the window: neqo#3162 compares 0.7, 0.5 and 0.4.
//! - What the last round trip delivered: draft-kazuho-ccwg-rapid-start reaches it during the
//!   recovery, with the congestion control's factor.
//! - The bandwidth-delay product: the largest delivery rate times the smallest round trip.
//! - Half, then a recovery: picoquic's CUBIC at d199d45 (`cubic.c`, `cubic_notify`). A rise of the
//!   round trip halves the window and begins a recovery; what is lost of the data sent before does
//!   not reduce the window again. A loss has the usual response of the congestion control.
//!
//! # Deviations
//!
//! - picoquic keeps more than half where the round trip is above 100 ms (`PICOQUIC_TARGET_RENO_RTT`),
//!   and ignores single losses. Neither is done here.
//! - A controller that sets the window at every ACK sets its own at the next.

use crate::exit::Reason;
use crate::signals::Ack;
use crate::startup::{Reduction, Response};
use crate::units::{ParseError, serde_as_text};
use crate::{Duration, Segments, Window};
use std::fmt;
use std::str::FromStr;

/// No landing is below kMinimumWindow (RFC 9002 §7.2).
const MINIMUM: Segments = 2.0;

/// What a factor multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// The window at the exit.
    Cwnd,
    /// What the last round trip delivered.
    Delivered,
    /// The largest delivery rate times the smallest round trip.
    Bdp,
}

impl Base {
    const ALL: [(Base, &'static str); 3] = [
        (Base::Cwnd, "cwnd"),
        (Base::Delivered, "delivered"),
        (Base::Bdp, "bdp"),
    ];
}

/// How a flow lands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LandingRule(Rule);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Rule {
    /// As startup and congestion control have it.
    #[default]
    Startup,
    /// With such a share of something.
    Share(f64, Base),
    /// With half of the window, which later losses of what was in flight leave alone.
    HalfThenRecovery,
}

impl LandingRule {
    const EXPECTED: &'static str = "`startup`, `half-then-recovery` or a factor above 0 to 1 of \
        `cwnd`, `delivered` or `bdp`, such as `0.5`, `delivered`, `0.7delivered` or `bdp`";
    const HALF: &'static str = "half-then-recovery";

    /// The state of one flow's landing; `None` where startup and congestion control have it.
    pub(crate) fn begin(self) -> Option<Box<Landing>> {
        (self.0 != Rule::Startup).then(|| {
            Box::new(Landing {
                rule: self.0,
                is_pending: true,
                replaces_startup: false,
                round: Round::default(),
                min_rtt: Duration::MAX,
                max_rate: 0.0,
                una: 0,
                recovery_until: 0,
            })
        })
    }

    fn parse(text: &str) -> Option<Rule> {
        match text {
            "startup" => return Some(Rule::Startup),
            LandingRule::HALF => return Some(Rule::HalfThenRecovery),
            _ => {}
        }
        let base = Base::ALL.iter().find_map(|(base, name)| {
            let number = text.strip_suffix(name)?;
            Some((number, *base))
        });
        let (number, base) = base.unwrap_or((text, Base::Cwnd));
        let factor = match number.trim_end() {
            "" if base != Base::Cwnd => 1.0,
            number => number.parse().ok()?,
        };
        (factor > 0.0 && factor <= 1.0).then_some(Rule::Share(factor, base))
    }
}

impl FromStr for LandingRule {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<LandingRule, ParseError> {
        let rule = LandingRule::parse(text.trim());
        rule.map(LandingRule).ok_or_else(|| ParseError {
            value: text.trim().into(),
            expected: LandingRule::EXPECTED,
            meant: None,
            is_negative: false,
        })
    }
}

impl fmt::Display for LandingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Rule::Startup => f.write_str("startup"),
            Rule::HalfThenRecovery => f.write_str(LandingRule::HALF),
            Rule::Share(factor, Base::Cwnd) => write!(f, "{factor}"),
            Rule::Share(factor, base) => {
                let name = Base::ALL.iter().find(|(of, _)| *of == base);
                let name = name.map_or("", |(_, name)| name);
                match factor < 1.0 {
                    true => write!(f, "{factor}{name}"),
                    false => f.write_str(name),
                }
            }
        }
    }
}

serde_as_text!(LandingRule);

/// What rounds have delivered, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// The one under way ends when so much is acknowledged.
    end: u64,
    /// Delivered in it so far.
    delivered: u64,
    /// Delivered in the round before.
    before: u64,
}

impl Round {
    fn add(&mut self, a: &Ack) {
        if a.una >= self.end {
            *self = Round {
                end: a.nxt,
                delivered: 0,
                before: self.delivered,
            };
        }
        self.delivered += a.delivered;
    }

    /// What the last round has delivered. The one under way counts where it has more.
    fn last(&self) -> u64 {
        self.delivered.max(self.before)
    }
}

/// The landing of one flow, with what it measures until then.
#[derive(Clone, Debug)]
pub(crate) struct Landing {
    rule: Rule,
    /// The startup has not ended.
    is_pending: bool,
    /// The recovery under way is not the startup's, which had its own.
    replaces_startup: bool,
    round: Round,
    min_rtt: Duration,
    /// Bytes per second.
    max_rate: f64,
    una: u64,
    /// Losses of what was sent before this position leave the window alone.
    recovery_until: u64,
}

impl Landing {
    /// Whether it needs [`Ack::delivery`].
    pub(crate) fn wants_delivery(&self) -> bool {
        matches!(self.rule, Rule::Share(_, Base::Bdp))
    }

    /// An ACK has arrived.
    pub(crate) fn measure(&mut self, a: &Ack) {
        self.una = a.una;
        self.round.add(a);
        self.min_rtt = self.min_rtt.min(a.rtt.unwrap_or(Duration::MAX));
        let sample = a.delivery.and_then(|delivery| delivery.sample);
        if let Some(sample) = sample.filter(|sample| !sample.app_limited) {
            let rate = sample.delivered as f64 / sample.interval.secs();
            self.max_rate = self.max_rate.max(rate);
        }
    }

    /// Whether a loss is of what was sent before the landing, and leaves the window alone.
    pub(crate) fn ignores_loss(&self) -> bool {
        self.una < self.recovery_until
    }

    /// A startup has detected that the path is full, with a window of `before` and all below `nxt`
    /// sent: sets the window.
    pub(crate) fn on_detection(
        &mut self,
        w: &mut Window,
        reason: Reason,
        before: Segments,
        nxt: u64,
    ) {
        let detects = matches!(
            reason,
            Reason::AckTrain | Reason::Delay | Reason::FullPipe | Reason::Loss | Reason::Ecn
        );
        if !(detects && std::mem::take(&mut self.is_pending)) {
            return;
        }
        match self.rule {
            Rule::HalfThenRecovery => {
                set(w, 0.5 * before, before);
                self.recovery_until = nxt;
            }
            _ => self.land(w, before),
        }
    }

    /// The startup responds to a loss or a mark. Whether the landing takes the place of its reduction.
    pub(crate) fn takes_over(&mut self, in_charge: bool, response: Response) -> bool {
        if in_charge && !response.ends {
            return false;
        }
        let lands = std::mem::take(&mut self.is_pending) && in_charge;
        let lands = lands && matches!(self.rule, Rule::Share(..));
        self.replaces_startup = lands && response.reduction != Reduction::Standard;
        lands
    }

    /// The congestion control has set the window for a loss or a mark; it was `before`.
    pub(crate) fn land(&self, w: &mut Window, before: Segments) {
        let Rule::Share(factor, base) = self.rule else {
            return;
        };
        let whole = match base {
            Base::Cwnd => before,
            Base::Delivered => w.segments(self.round.last()),
            Base::Bdp => match self.min_rtt {
                Duration::MAX => return,
                rtt => self.max_rate * rtt.secs() / f64::from(w.mss),
            },
        };
        if whole > 0.0 {
            set(w, factor * whole, before);
        }
    }

    /// Whether the startup has no part in the recovery under way.
    pub(crate) fn replaces_startup(&self) -> bool {
        self.replaces_startup
    }

    /// A recovery is over. Whether the startup has had no part in it.
    pub(crate) fn end_recovery(&mut self) -> bool {
        std::mem::take(&mut self.replaces_startup)
    }

    /// The timer has expired: the startup does not land, and all may be lost.
    pub(crate) fn cancel(&mut self) {
        self.is_pending = false;
        self.recovery_until = 0;
        self.replaces_startup = false;
    }

    /// The loss that ended the startup was none: it will end again.
    pub(crate) fn undo(&mut self) {
        self.is_pending = true;
        self.replaces_startup = false;
    }
}

/// Sets window and threshold. A landing is no rise.
fn set(w: &mut Window, to: Segments, before: Segments) {
    w.cwnd = to.min(before).max(MINIMUM);
    w.ssthresh = w.cwnd;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Delivery, Established, Loss, Marked, RateSample, Recovered, Timeout};
    use crate::{Controller, Convention, Instant, catalog};

    const MSS: u64 = 1000;
    const RTT: Duration = Duration::from_millis(100);

    /// A sender of segments of 1000 bytes, 10 at first, with so many lost segments to come.
    struct Flow {
        c: Controller,
        w: Window,
        una: u64,
        nxt: u64,
    }

    impl Flow {
        fn new(startup: &str, cc: &str, landing: &str) -> Flow {
            let rule = landing.parse().unwrap();
            let c = catalog::controller(startup, cc, Convention::RFC).unwrap();
            let mut c = c.landing(rule);
            let mut w = Window::new(MSS as u32);
            let e = Established {
                initial_window: 10.0,
                rtt: Some(RTT),
                ..Established::at(Instant::ZERO + RTT)
            };
            c.on_established(&mut w, &e);
            let nxt = w.cwnd_bytes();
            Flow { c, w, una: 0, nxt }
        }

        /// The ACK of a segment, with this round trip, while data arrives at 2 Mbit/s.
        fn ack(&mut self, rtt: Duration) -> Ack {
            self.una += MSS;
            Ack {
                una: self.una,
                nxt: self.nxt,
                flight: self.nxt - self.una,
                rtt: Some(rtt),
                srtt: rtt,
                delivery: Some(Delivery {
                    sample: Some(RateSample {
                        delivered: 25_000,
                        interval: RTT,
                        ..RateSample::default()
                    }),
                    ..Delivery::default()
                }),
                ..Ack::of(Instant::ZERO + RTT, MSS)
            }
        }

        /// So many segments are acknowledged, and what the window allows is sent.
        fn acknowledge(&mut self, segments: u64, rtt: Duration) {
            for _ in 0..segments {
                let ack = self.ack(rtt);
                self.c.on_ack(&mut self.w, &ack);
                self.nxt = self.nxt.max(self.una + self.w.cwnd_bytes());
            }
        }

        fn lose(&mut self) -> (Segments, Segments) {
            let loss = Loss {
                now: Instant::ZERO,
                flight: self.w.cwnd_bytes(),
                usable: self.w.cwnd,
            };
            self.c.on_loss(&mut self.w, &loss);
            (self.w.cwnd, self.w.ssthresh)
        }

        fn recover(&mut self) {
            let recovered = Recovered {
                now: Instant::ZERO,
                retransmitted: MSS,
                flight: 0,
            };
            self.c.on_recovered(&mut self.w, &recovered);
        }
    }

    /// Two rounds make a window of 40, and 25 of these 40 arrive: the 28th ACK began the last round.
    fn overshot(startup: &str, cc: &str, landing: &str) -> Flow {
        let mut flow = Flow::new(startup, cc, landing);
        flow.acknowledge(10 + 20, RTT);
        assert_eq!(flow.w.cwnd, 40.0);
        flow.acknowledge(25, RTT);
        assert_eq!(flow.w.cwnd, 65.0);
        flow
    }

    fn landed(cc: &str, landing: &str) -> Segments {
        let (cwnd, ssthresh) = overshot("slow-start", cc, landing).lose();
        assert_eq!(cwnd, ssthresh);
        cwnd
    }

    #[test]
    fn a_factor_of_the_window_takes_the_place_of_the_congestion_controls() {
        for cc in ["reno", "cubic"] {
            assert_eq!(landed(cc, "0.4"), 26.0, "{cc}");
            assert_eq!(landed(cc, "1cwnd"), 65.0, "{cc}");
            assert_eq!(landed(cc, "0.001"), 2.0, "{cc}");
        }
        assert_eq!(landed("reno", "startup"), 32.5);
        assert_eq!(landed("cubic", "startup"), 45.5);
    }

    #[test]
    fn what_the_last_round_has_delivered_is_what_path_and_queue_hold() {
        assert_eq!(landed("reno", "delivered"), 28.0);
        assert_eq!(landed("cubic", "0.5delivered"), 14.0);
    }

    #[test]
    fn a_round_that_has_just_begun_counts_for_less_than_the_one_before() {
        let mut flow = Flow::new("slow-start", "reno", "delivered");
        flow.acknowledge(10 + 20 + 1, RTT);
        assert_eq!(flow.lose(), (18.0, 18.0));
    }

    /// 25 segments in a round trip of 100 ms, of which 80 ms are without a queue.
    #[test]
    fn the_bandwidth_delay_product_is_the_largest_rate_times_the_smallest_round_trip() {
        for (landing, cwnd) in [("bdp", 20.0), ("0.5bdp", 10.0)] {
            let mut flow = Flow::new("slow-start", "reno", landing);
            flow.acknowledge(10, Duration::from_millis(80));
            flow.acknowledge(20 + 25, RTT);
            assert_eq!(flow.lose(), (cwnd, cwnd));
            assert!(flow.c.wants_delivery());
        }
    }

    #[test]
    fn half_then_recovery_leaves_a_loss_to_the_congestion_control() {
        assert_eq!(landed("reno", "half-then-recovery"), 32.5);
        assert_eq!(landed("cubic", "half-then-recovery"), 45.5);
    }

    /// HyStart++ in conservative slow start for one round: the round trip has doubled.
    fn detected(landing: &str) -> Flow {
        let mut flow = Flow::new("hystart-plus-plus:css_rounds=1", "reno", landing);
        flow.acknowledge(10 + 20, RTT);
        for _ in 0..200 {
            if flow.c.exit().is_none() {
                flow.acknowledge(1, RTT.times(2));
            }
        }
        assert_eq!(flow.c.exit().map(|exit| exit.reason), Some(Reason::Delay));
        flow
    }

    #[test]
    fn a_detected_full_path_lands_as_a_loss_does() {
        let exit = detected("startup").c.exit().unwrap().cwnd;
        for (landing, factor) in [("0.5", 0.5), ("half-then-recovery", 0.5), ("0.25", 0.25)] {
            let flow = detected(landing);
            assert!((flow.w.ssthresh - factor * exit).abs() < 1e-9, "{landing}");
            assert!(flow.w.cwnd - flow.w.ssthresh < 1.0, "{landing}");
        }
    }

    #[test]
    fn half_then_recovery_ignores_losses_of_what_was_sent_before_the_detection() {
        let mut flow = detected("half-then-recovery");
        let (cwnd, before) = (flow.w.cwnd, flow.nxt);
        assert_eq!(flow.lose().0, cwnd);
        flow.recover();
        while flow.una < before {
            flow.acknowledge(1, RTT);
        }
        let cwnd = flow.w.cwnd;
        assert!(flow.lose().0 < 0.6 * cwnd);
    }

    #[test]
    fn only_the_exit_lands_and_later_losses_are_the_congestion_controls() {
        let mut flow = overshot("slow-start", "cubic", "0.4");
        assert_eq!(flow.lose(), (26.0, 26.0));
        flow.recover();
        assert!((flow.lose().0 - 0.7 * 26.0).abs() < 1e-9);
    }

    #[test]
    fn a_startup_that_recovers_by_its_own_rules_lands_as_well() {
        let mut flow = Flow::new("rapid-start", "reno", "0.5");
        flow.acknowledge(10, RTT);
        let cwnd = flow.w.cwnd;
        assert_eq!(flow.lose().0, 0.5 * cwnd);
        let ack = flow.ack(RTT);
        flow.c.on_recovery_ack(&mut flow.w, &ack);
        flow.recover();
        assert_eq!(flow.w.cwnd, 0.5 * cwnd);
    }

    #[test]
    fn a_mark_lands_and_a_timeout_does_not() {
        let mut flow = overshot("slow-start", "reno", "0.4");
        let m = Marked {
            now: Instant::ZERO,
            flight: flow.w.cwnd_bytes(),
            usable: flow.w.cwnd,
        };
        flow.c.on_marked(&mut flow.w, &m);
        assert_eq!(flow.w.cwnd, 26.0);
        let mut flow = overshot("slow-start", "reno", "0.4");
        let t = Timeout {
            now: Instant::ZERO,
            flight: flow.w.cwnd_bytes(),
            usable: flow.w.cwnd,
            repeated: false,
        };
        flow.c.on_timeout(&mut flow.w, &t);
        assert_eq!((flow.w.cwnd, flow.w.ssthresh), (1.0, 32.5));
    }

    #[test]
    fn a_loss_that_was_none_is_no_landing() {
        let mut flow = overshot("slow-start", "reno", "0.4");
        let before = flow.w;
        flow.lose();
        flow.w = before;
        flow.c.on_spurious(&mut flow.w);
        assert_eq!(flow.lose().0, 26.0);
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in [
            "startup",
            "half-then-recovery",
            "0.5",
            "1",
            "delivered",
            "0.7delivered",
            "bdp",
        ] {
            assert_eq!(text.parse::<LandingRule>().unwrap().to_string(), text);
        }
        for (text, written) in [("0.5cwnd", "0.5"), (" 1.0bdp ", "bdp")] {
            assert_eq!(text.parse::<LandingRule>().unwrap().to_string(), written);
        }
        for text in ["", "0", "1.1", "-0.5", "nan", "cwnd", "half", "2bdp"] {
            assert!(text.parse::<LandingRule>().is_err(), "{text}");
        }
    }
}
