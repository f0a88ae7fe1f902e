//! Rapid Start: triple the window while there is no queue, and pay for it with a short silence.
//!
//! draft-kazuho-ccwg-rapid-start (K. Oku, later with M. Welzl; individual), running in quicly. Two
//! things keep slow start slow: its factor, and the fear of what the last round loses. Rapid
//! Start grows threefold per round trip as long as round-trip times show no queue
//! and twofold from then on, with everything paced. Its answer to the first loss
//! does not ask how far the window had overshot: it first keeps silent for a part of a
//! round trip and then shrinks by a share of each byte that turns out delivered, and by a
//! larger one of each byte lost. Where all of the window has been accounted for, what is left
//! is beta times what was delivered, which is what path and queue hold.
//!
//! The rules are those of the draft's texts -00 (3 November 2025, commit 3d0bd41 of its repository)
//! and -02 (16 March 2026), and of h2o/quicly, `include/quicly/cc.h`, `lib/cc-pico.c` and
//! `lib/quicly.c`, commit b11d3634 (1 April 2026), which has -00's shares and a separate threshold
//! and floor.
//!
//! | | draft02 | draft00 | quicly |
//! | --- | --- | --- | --- |
//! | K | 2/3 | 11/18 | 11/18 |
//! | the window at first, of what it was (beta 0.7) | 9/10 | 53/60 | 53/60 |
//! | less of each byte delivered, lost | 1/5, 9/10 | 11/60, 53/60 | 11/60, 53/60 |
//! | silence at the worst loss, of a full path | 3/10 | 1/3 | 1/3 |
//! | a queue, above the minimum RTT by | the lesser of 4 ms and 1/10 | the same | the greater of 4 ms and 3/32; off below 4 ms |
//! | the minimum that is left | beta times a third of the window | the same | or half the initial window, if that is more |
//! | the packet that is found lost first | costs as any | the same | costs nothing beyond the silence |
//! | after the recovery | the threshold is the window | the same | the threshold is the window at the last loss |
//! | what the avoidance takes for full | beta times what is left, `w_max` times | the same | a third of the window, or the initial window |
//! | pacing of the first window | one a round trip | the same | two a round trip |
//!
//! # State
//!
//! The minimum RTT ever and in the last four quarters of one; `pre_cwnd` and what of
//! it has not been accounted for.
//!
//! # Deviations
//!
//! - quicly grows by whole packets and keeps the rest for the next ACK; here by parts of them.
//! - quicly has Rapid Start with its congestion control `pico` alone, which halves the window at the
//!   first loss where it does without, on paths below 4 ms. Another avoidance reduces it by its own rule.
//! - quicly's pacer lets eight to ten packets leave together; here they leave one by one.
//!
//! # Contested
//!
//! - The draft takes the lesser of two thresholds, quicly the greater: `threshold`.
//! - The draft's -00 and quicly have 11/18 for K, the draft's -02 has 2/3: `k`. With 11/18 the
//!   silence drains a third of a full path at the worst loss, more than the three tenths that
//!   beta allows.
//! - A TCP recovery lasts until all that was out is repaired, which may be many round
//!   trips. Only the window that was out at the loss is accounted for, each byte once; what is
//!   sent afterwards or again changes nothing.
//! - What was lost is what has left the estimate of the flight without being delivered, so it
//!   needs no separate signal, and without SACK it is what is sent again.
//! - The minimum RTT over the last round trip is kept in quicly's four slots; the
//!   draft leaves it open.
//! - The draft's pacing over the whole round trip is quicly's: three windows per round trip
//!   while growth is threefold, else two; one for the first window.
//! - A sender has its congestion control's beta; here it is a parameter, 0.7 as CUBIC has it. With
//!   Reno the draft means 0.5.

use super::{Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::pacing::Pacing;
use crate::model::rapid_start::{Flight, QuiclyRecovery, Recovery, Sense, Shares};
use crate::params::{Number, Params, Ratio, SpecError};
use crate::signals::{Ack, Established, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Reason, Segments, Window, params, with_slow_start};

/// Entry of `rapid-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "rapid-start",
    title: "Rapid Start",
    source: "draft-kazuho-ccwg-rapid-start-02, and -00; h2o/quicly, cc.h and cc-pico.c, April 2026",
    year: 2026,
    opened: "text: the draft -00 (3d0bd41), -02 and the editor's copy 00e5ea1; code: h2o/quicly \
             b11d3634",
    compared: "growth, threshold of delay, silence and factors, floor, pace",
    summary: "Paced, threefold growth while there is no queue; after the first loss a short \
              silence and a window that shrinks by what is delivered and lost.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Text,
    build: |params, _| {
        let settings = Settings::read(params)?;
        let draft = settings.version != Version::Quicly;
        params.effective(
            &Settings::w_max,
            draft,
            "`version=draft02` or `version=draft00`",
        )?;
        Ok(copies(RapidStart::new(settings)))
    },
};

params! {
    /// Parameters; those of slow start apply after the first loss.
    pub struct Settings {
        /// whose K, threshold and floor: those of the draft's -02 or -00, or quicly's
        version: Version = "draft02",
        /// the round-trip time above which there is a queue: the lesser of 4 ms and a tenth above
        /// the minimum (draft), or the greater of 4 ms and 3/32 above it (quicly)
        #[usual("by version: draft, but quicly under quicly")]
        threshold: Option<Threshold>,
        /// the share of what path and queue hold that the window is after the first loss
        #[check(|beta| (0.1..1.0).contains(&beta), "a number from 0.1 to below 1")]
        beta: Ratio = "0.7",
        /// the share of the reduction that falls on the bytes delivered
        #[usual("by version: 2/3 under draft02, otherwise 11/18")]
        k: Option<K>,
        /// the first window in those of the stack's rule, from 1 to 2: over a whole round trip,
        /// twice as much leaves no faster than from a sender that paces at twice the window
        #[within(1.0..=2.0)]
        initial_factor: Number = "1",
        /// whether it paces: the first window over a round trip (quicly: half of one), later three
        /// windows per round trip while growth is threefold, and two otherwise
        pacing: bool = "true",
        /// after the first recovery the avoidance takes the loss to have come at so many times what
        /// path and queue hold; 2 is for an avoidance with fast convergence, 1 for one without. Not
        /// with version=quicly
        #[within(1.0..=2.0)]
        w_max: Number = "2",
    }

    pub enum Version { Draft02 = "draft02", Draft00 = "draft00", Quicly = "quicly" }
    pub enum Threshold { Draft = "draft", Quicly = "quicly" }
    pub enum K { TwoThirds = "2/3", ElevenEighteenths = "11/18" }
}

params! {
    pub(crate) struct SpeedSettings {
        /// the window that each segment earned by `growth` buys: one (slow start), or two while
        /// there is no queue (rapid-start), which makes the window three times as large per round
        /// trip
        speed: Growth = "slow-start",
    }

    pub(crate) enum Growth { SlowStart = "slow-start", RapidStart = "rapid-start" }
}

/// The parameter `speed`: slow start's growth, or Rapid Start's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    rapid: Option<Sense>,
}

impl Speed {
    pub(crate) fn read(params: &Params) -> Result<Speed, SpecError> {
        let rapid = SpeedSettings::read(params)?.speed == Growth::RapidStart;
        Ok(Speed {
            rapid: rapid.then(|| Sense::new(false)),
        })
    }

    /// The window that a segment buys which `a` acknowledges.
    pub(crate) fn factor(&mut self, a: &Ack) -> f64 {
        let Some(sense) = &mut self.rapid else {
            return 1.0;
        };
        if let Some(rtt) = a.rtt {
            sense.sample(rtt, a.now);
        }
        if sense.no_queue() { 2.0 } else { 1.0 }
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Probing,
    Recovering(Recovery),
    /// The avoidance takes the loss to have come at this window.
    RecoveringInQuicly(QuiclyRecovery, Segments),
    Over,
}

/// State of Rapid Start on one connection.
#[derive(Clone)]
struct RapidStart {
    quicly: bool,
    shares: Shares,
    initial_factor: f64,
    pacing: Pacing,
    w_max: f64,
    initial: Segments,
    phase: Phase,
    sense: Sense,
    flight: Flight,
}

impl RapidStart {
    fn new(settings: Settings) -> RapidStart {
        let version = settings.version;
        let quicly = version == Version::Quicly;
        let k = match settings.k {
            Some(K::TwoThirds) => 2.0 / 3.0,
            None if version == Version::Draft02 => 2.0 / 3.0,
            Some(K::ElevenEighteenths) | None => 11.0 / 18.0,
        };
        let threshold = match quicly {
            true => Threshold::Quicly,
            false => Threshold::Draft,
        };
        let threshold = settings.threshold.unwrap_or(threshold);
        RapidStart {
            quicly,
            shares: Shares::new(settings.beta, k),
            initial_factor: settings.initial_factor,
            pacing: Pacing::new(settings.pacing),
            w_max: settings.w_max,
            initial: 0.0,
            phase: Phase::Probing,
            sense: Sense::new(threshold == Threshold::Quicly),
            flight: Flight::default(),
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        self.pacing.end(w);
        self.phase = Phase::Over;
    }

    /// quicly's first recovery, of which the ACK that began it may have shown more losses.
    fn recover_as_quicly(&self, w: &mut Window, c: &Congestion) -> Phase {
        let full = (w.cwnd / 3.0).max(self.initial);
        let (lost, now) = match c {
            Congestion::Loss(loss) => (true, loss.now),
            Congestion::Mark(mark) => (false, mark.now),
            Congestion::Timeout(timeout) => (true, timeout.now),
        };
        let mut recovery = QuiclyRecovery::begin(w, self.shares, 0.5 * self.initial, lost);
        recovery.account(w, (0, self.flight.lost_at(now)));
        Phase::RecoveringInQuicly(recovery, full)
    }
}

impl Startup for RapidStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.cwnd *= self.initial_factor;
        self.initial = w.cwnd;
        self.sense.begin(e.rtt, e.now);
        let windows = if self.quicly { 2.0 } else { 1.0 };
        self.pacing.open(w, e.rtt, windows);
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.pacing.on_sent(w);
        self.flight.on_sent(s.bytes);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.flight.on_ack(a);
        if !matches!(self.phase, Phase::Probing) {
            slow_start.grow(w, a);
            return None;
        }
        if let Some(rtt) = a.rtt {
            self.sense.sample(rtt, a.now);
        }
        let (gain, windows) = self.sense.gains();
        if a.cwnd_limited {
            w.cwnd += gain * w.segments(a.credit);
        }
        self.pacing.update(w, a.rtt, windows);
        if !w.in_slow_start() {
            self.cancel(w);
        }
        None
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        let (delivered, lost) = self.flight.on_ack(a);
        match &mut self.phase {
            Phase::Recovering(recovery) => {
                recovery.account(w.segments(delivered), w.segments(lost));
                w.cwnd = recovery.window().min(w.cwnd);
            }
            Phase::RecoveringInQuicly(recovery, _) => recovery.account(w, (delivered, lost)),
            Phase::Probing | Phase::Over => {}
        }
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() {
            self.cancel(w);
            return Response::STANDARD;
        }
        if !matches!(self.phase, Phase::Probing) {
            self.phase = Phase::Over;
            return Response::STANDARD;
        }
        self.cancel(w);
        if self.quicly && self.sense.is_off() {
            return Response::STANDARD;
        }
        self.phase = match self.quicly {
            true => self.recover_as_quicly(w, c),
            false => {
                let recovery = Recovery::new(self.shares, w.cwnd);
                w.cwnd = recovery.window();
                w.ssthresh = w.cwnd;
                Phase::Recovering(recovery)
            }
        };
        Response::ends(Reduction::SelfManaged)
    }

    /// All that was out at the loss and is not known to be lost has been delivered; quicly goes by
    /// what is acknowledged.
    fn on_recovered(&mut self, w: &mut Window, _r: &Recovered) -> Repaired {
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        match phase {
            Phase::Recovering(mut recovery) => {
                recovery.end();
                w.cwnd = recovery.window();
                w.ssthresh = w.cwnd;
                Repaired::LossAt(self.w_max * w.cwnd / self.shares.beta)
            }
            Phase::RecoveringInQuicly(_, full) => Repaired::LossAt(full),
            Phase::Probing | Phase::Over => {
                self.phase = phase;
                Repaired::Continues
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::AlgorithmKind;
    use crate::signals::Loss;
    use crate::testing::{at_ms, ms, slow_start, with_reno};
    use crate::{Convention, Instant, Rate, catalog};

    const MSS: u64 = 1460;
    fn rapid_start(spec: &str) -> RapidStart {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
        RapidStart::new(Settings::read(&params).unwrap())
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
    }

    /// V8
    #[test]
    fn growth_is_threefold_without_a_queue_and_twofold_with_one() {
        for (queue, expected) in [(0.0, 30.0), (5.0, 20.0)] {
            let mut r = rapid_start("");
            let mut w = Window::new(MSS as u32);
            w.cwnd = 10.0;
            r.sense.sample(ms(100.0), at_ms(0.0));
            let a = Ack {
                rtt: Some(ms(100.0 + queue)),
                ..Ack::of(at_ms(1000.0), 10 * MSS)
            };
            r.on_ack(&mut w, &a, &mut slow_start());
            assert_eq!(w.cwnd, expected);
        }
    }

    fn sent(bytes: u32) -> Sent {
        Sent {
            now: Instant::ZERO,
            bytes,
            seq: 0,
            retransmission: false,
            flight: bytes.into(),
        }
    }

    fn established(spec: &str) -> Window {
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(100.0)),
            ..Established::at(at_ms(100.0))
        };
        slow_start().open(&mut w, &e);
        rapid_start(spec).on_established(&mut w, &e);
        w
    }

    #[test]
    fn the_first_window_takes_a_whole_round_trip() {
        let w = established("");
        assert_eq!((w.cwnd, w.pacing), (10.0, Some(Rate(1_200_000))));
        let w = established("initial_factor=2");
        assert_eq!((w.cwnd, w.pacing), (20.0, Some(Rate(2_400_000))));
        assert_eq!(established("pacing=false").pacing, None);
    }

    /// Three windows were sent of which one was delivered; CUBIC then takes the loss to have
    /// come at twice what was.
    #[test]
    fn the_first_recovery_from_its_loss_to_the_avoidance() {
        let mut c = catalog::controller("rapid-start", "cubic", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        c.on_established(&mut w, &Established::at(Instant::ZERO));
        w.cwnd = 300.0;
        c.on_sent(&mut w, &sent(300 * MSS as u32));
        let loss = Loss {
            now: at_ms(100.0),
            flight: 300 * MSS,
            usable: 300.0,
        };
        c.on_loss(&mut w, &loss);
        assert_near(w.cwnd, 270.0);
        assert!(c.recovery_is_self_managed());
        let half = Ack {
            delivered_total: 50 * MSS,
            flight: 150 * MSS,
            ..Ack::of(at_ms(150.0), 0)
        };
        c.on_recovery_ack(&mut w, &half);
        assert_near(w.cwnd, 270.0 - 10.0 - 90.0);
        let all = Ack {
            delivered_total: 100 * MSS,
            flight: 0,
            ..Ack::of(at_ms(200.0), 0)
        };
        c.on_recovery_ack(&mut w, &all);
        let recovered = Recovered {
            now: at_ms(400.0),
            retransmitted: 200 * MSS,
            flight: 0,
        };
        c.on_recovered(&mut w, &recovered);
        assert_near(w.cwnd, 70.0);
        assert_near(w.ssthresh, 70.0);
        assert!(!c.recovery_is_self_managed());
        for round in 0..10 {
            let limited = Ack {
                rtt: Some(ms(100.0)),
                ..Ack::of(at_ms(500.0 + 100.0 * f64::from(round)), MSS)
            };
            (0..70).for_each(|_| c.on_ack(&mut w, &limited));
        }
        // A curve around a hundred would be at 87.
        assert!(w.cwnd > 100.0, "{}", w.cwnd);
    }

    /// V10: half of ten packets of 1472 bytes, where a third of the window is less.
    #[test]
    fn quicly_leaves_half_the_initial_window_at_least() {
        let left = |spec: &str| {
            let (mut r, mut w) = (rapid_start(spec), Window::new(1472));
            let e = Established {
                initial_window: 10.0,
                rtt: Some(ms(100.0)),
                ..Established::at(at_ms(100.0))
            };
            slow_start().open(&mut w, &e);
            r.on_established(&mut w, &e);
            w.cwnd = w.segments(30_000);
            let loss = Loss {
                now: at_ms(200.0),
                flight: 30_000,
                usable: w.cwnd,
            };
            r.on_sent(&mut w, &sent(30_000));
            r.on_congestion(&mut w, &Congestion::Loss(loss));
            let ack = Ack {
                delivered_total: 1_000,
                flight: 0,
                ..Ack::of(at_ms(300.0), 0)
            };
            r.on_recovery_ack(&mut w, &ack);
            w.cwnd_bytes()
        };
        assert_eq!(left("version=quicly"), 7_360);
        assert_eq!(left("version=draft00"), 7_000);
        assert_eq!(left(""), 7_000);
    }

    #[test]
    fn a_version_has_its_shares_threshold_and_pace() {
        let read = |spec| {
            let r = rapid_start(spec);
            let mut sense = r.sense;
            sense.sample(ms(20.0), at_ms(100.0));
            sense.sample(ms(23.0), at_ms(200.0));
            ((r.shares.lost * 60.0).round(), sense.no_queue())
        };
        assert_eq!(read(""), (54.0, false));
        assert_eq!(read("version=draft00"), (53.0, false));
        assert_eq!(read("version=quicly"), (53.0, true));
        assert_eq!(read("version=quicly,k=2/3,threshold=draft"), (54.0, false));
        let pace = |spec| established(spec).pacing;
        assert_eq!(pace("version=draft00"), Some(Rate(1_200_000)));
        assert_eq!(pace("version=quicly"), Some(Rate(2_400_000)));
    }

    #[test]
    fn where_quicly_goes_without_the_avoidance_answers_the_first_loss() {
        let answer = |spec| {
            let (mut r, mut w) = (rapid_start(spec), Window::new(MSS as u32));
            w.cwnd = 100.0;
            r.sense.sample(ms(3.0), at_ms(100.0));
            let loss = Loss {
                now: at_ms(200.0),
                flight: 100 * MSS,
                usable: 100.0,
            };
            r.on_congestion(&mut w, &Congestion::Loss(loss))
        };
        assert_eq!(answer("version=quicly"), Response::STANDARD);
        assert_eq!(answer(""), Response::ends(Reduction::SelfManaged));
    }

    #[test]
    fn constants_that_make_no_sense_are_refused() {
        let complaint = |spec| {
            let refused = with_reno(&ENTRY, spec, Convention::RFC);
            refused.err().unwrap().to_string()
        };
        assert_eq!(
            complaint("beta=1"),
            "startup `rapid-start`: parameter `beta`: `1` is not a number from 0.1 to below 1"
        );
        assert!(complaint("initial_factor=3").ends_with("`3` is not a number from 1 to 2"));
        assert!(complaint("w_max=0").ends_with("`0` is not a number from 1 to 2"));
        assert!(complaint("k=1").ends_with("`1` is not one of `2/3`, `11/18`"));
    }
}
