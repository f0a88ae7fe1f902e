//! Rapid Start: triple the window while there is no queue, and pay for it with a short silence.
//!
//! draft-kazuho-ccwg-rapid-start-02 (K. Oku, March 2026, individual), running in quicly. Two
//! things keep slow start slow: its factor, and the fear of what the last round loses. Rapid
//! Start grows threefold per round trip as long as round-trip times say that there is no queue
//! and twofold from then on, with everything paced. Its answer to the first loss
//! does not ask how far the window had overshot: it first keeps silent for a part of a
//! round trip and then shrinks by a share of each byte that turns out delivered, and by a
//! larger one of each byte lost. Where all of the window has been accounted for, what is left
//! is beta times what was delivered, which is what path and queue hold.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `threshold` | draft | the round-trip time above which there is a queue |
//! | `beta` | 0.7 | the share of what path and queue hold that is left |
//! | `k` | 2/3 | how the reduction is shared between silence and bytes |
//! | `initial_factor` | 1 | the first window in the stack's, 1 to 2 |
//! | `pacing` | true | whether it paces |
//! | `w_max` | 2 | what the avoidance takes for the window at the loss, in what path and queue hold |
//! | `growth`, `limit`, `iw`, `ssthresh` | as [`super::slow_start`] | after the first loss |
//!
//! # State
//!
//! The least round-trip time ever and in the last four quarters of one; `pre_cwnd` and what of
//! it has not been accounted for.
//!
//! # Contested
//!
//! - The draft takes the lesser of two thresholds, quicly the greater: `threshold`.
//! - The draft's K, 2/3, drains three tenths of a full path at the worst loss; quicly's, 11/18,
//!   a third: `k`.
//! - A TCP recovery lasts until all that was out is repaired, which may be many round
//!   trips. Only the window that was out at the loss is accounted for, each byte once; what is
//!   sent afterwards or again changes nothing.
//! - What was lost is what has left the estimate of the flight without being delivered, so it
//!   needs no signal of its own, and without SACK it is what is sent again.
//! - The least round-trip time over the last round trip is kept in quicly's four slots; the
//!   draft leaves it open.
//! - The draft's pacing over the whole round trip is quicly's: three windows per round trip
//!   while growth is threefold, else two; one for the first window.
//! - A sender knows its avoidance's beta; here it is a parameter, 0.7 as CUBIC has it. With Reno
//!   the draft means 0.5.

use super::{LossResponse, Startup};
use crate::entry::{Certainty, Entry, Need};
use crate::model::pacing::Pacing;
use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::signals::{Ack, Established, Loss, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{with_slow_start, Reason, Segments, Time, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "rapid-start",
    title: "Rapid Start",
    source: "draft-kazuho-ccwg-rapid-start-02",
    year: 2026,
    opened: "text: the draft -00 (3d0bd41), -02 and the editor's copy 00e5ea1; code: h2o/quicly b11d3634",
    compared: "growth, threshold of delay, silence and factors, floor, pace",
    summary: "Paced, threefold growth while there is no queue; after the first loss a short \
              silence and a window that shrinks by what is delivered and lost.",
    params: with_slow_start![THRESHOLD, BETA, K, INITIAL_FACTOR, PACING, W_MAX],
    needs: &[Need::Pacing],
    certainty: Certainty::Text,
    build: |params, _| Ok(Box::new(RapidStart::new(params)?)),
};

const THRESHOLD: ParamSpec = ParamSpec {
    name: "threshold",
    unit: Unit::Choice(&["draft", "quicly"]),
    default: "draft",
    meaning: "the round-trip time above which there is a queue: the lesser of 4 ms and a tenth \
              above the least one (draft), or the greater of 4 ms and 3/32 above it (quicly)",
};

const BETA: ParamSpec = ParamSpec {
    name: "beta",
    unit: Unit::Ratio,
    default: "0.7",
    meaning: "the share of what path and queue hold that the window is after the first loss",
};

const K: ParamSpec = ParamSpec {
    name: "k",
    unit: Unit::Choice(&["2/3", "11/18"]),
    default: "2/3",
    meaning: "the share of the reduction that falls on the bytes delivered: the draft's, or \
              quicly's",
};

const INITIAL_FACTOR: ParamSpec = ParamSpec {
    name: "initial_factor",
    unit: Unit::Number,
    default: "1",
    meaning: "the first window in those of the stack's rule, from 1 to 2: over a whole round \
              trip, twice as much leaves no faster than from a sender that paces at twice the \
              window",
};

const PACING: ParamSpec = ParamSpec {
    name: "pacing",
    unit: Unit::Bool,
    default: "true",
    meaning: "whether it paces: the first window over a round trip, later three windows per \
              round trip while growth is threefold, and two otherwise",
};

const W_MAX: ParamSpec = ParamSpec {
    name: "w_max",
    unit: Unit::Number,
    default: "2",
    meaning: "after the first recovery the avoidance takes the loss to have come at so many \
              times what path and queue hold; 2 is for an avoidance with fast convergence, 1 for \
              one without",
};

/// How fast a start-up that decides only its end grows until then.
pub(crate) const SPEED: ParamSpec = ParamSpec {
    name: "speed",
    unit: Unit::Choice(&["slow-start", "rapid-start"]),
    default: "slow-start",
    meaning: "the window that each segment earned by `growth` buys: one (slow start), or two \
              while there is no queue (rapid-start), which makes the window three times as \
              large per round trip",
};

/// The rise of the round-trip time that always says that there is a queue.
const RISE: Time = Time::from_millis(4);
/// On paths shorter than this, quicly's clock cannot tell.
const SHORTEST: Time = Time::from_millis(4);
/// Slots of the last round trip.
const SLOTS: usize = 4;
/// The window never falls below this many segments.
const MINIMUM: Segments = 2.0;

/// What says whether there is a queue.
#[derive(Clone, Copy, Debug)]
struct Sense {
    quicly: bool,
    min_rtt: Time,
    /// The least sample in each of the last quarters of a round trip.
    slots: [Time; SLOTS],
    slot: usize,
    slot_end: Time,
}

impl Sense {
    fn new(quicly: bool) -> Sense {
        Sense {
            quicly,
            min_rtt: Time::MAX,
            slots: [Time::MAX; SLOTS],
            slot: 0,
            slot_end: Time::ZERO,
        }
    }

    fn sample(&mut self, rtt: Time, now: Time) {
        self.min_rtt = self.min_rtt.min(rtt);
        let quarter = self.min_rtt.over(SLOTS as u64).max(Time(1));
        for _ in 0..SLOTS {
            if now < self.slot_end {
                break;
            }
            self.slot = (self.slot + 1) % SLOTS;
            self.slots[self.slot] = Time::MAX;
            self.slot_end += quarter;
        }
        if self.slot_end <= now {
            self.slot_end = now + quarter;
        }
        self.slots[self.slot] = self.slots[self.slot].min(rtt);
    }

    /// `rtt_floor`.
    fn floor(&self) -> Time {
        self.slots.iter().copied().fold(Time::MAX, Time::min)
    }

    /// The round-trip time above which there is a queue.
    fn threshold(&self) -> Time {
        let least = self.min_rtt;
        if self.quicly {
            (least + RISE).max(least.times(35).over(32))
        } else {
            (least + RISE).min(least.times(11).over(10))
        }
    }

    fn no_queue(&self) -> bool {
        let blind = self.min_rtt == Time::MAX || self.quicly && self.min_rtt < SHORTEST;
        !blind && self.floor() <= self.threshold()
    }
}

/// The parameter `speed`: slow start's growth, or Rapid Start's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    rapid: Option<Sense>,
}

impl Speed {
    pub(crate) fn read(params: &Params) -> Speed {
        let rapid = params.choice("speed") == "rapid-start";
        Speed {
            rapid: rapid.then(|| Sense::new(false)),
        }
    }

    /// The window that a segment buys which `a` acknowledges.
    pub(crate) fn factor(&mut self, a: &Ack) -> f64 {
        let Some(sense) = &mut self.rapid else {
            return 1.0;
        };
        if let Some(rtt) = a.rtt {
            sense.sample(rtt, a.now);
        }
        if sense.no_queue() {
            2.0
        } else {
            1.0
        }
    }
}

/// The shares of the first recovery.
#[derive(Clone, Copy, Debug)]
struct Shares {
    beta: f64,
    /// Of each byte delivered.
    acked: f64,
    /// Of each byte lost; and what the window is multiplied by at first.
    lost: f64,
}

impl Shares {
    fn new(beta: f64, k: f64) -> Shares {
        Shares {
            beta,
            acked: k * (1.0 - beta),
            lost: beta + k * (1.0 - beta),
        }
    }
}

/// The first recovery. All in segments.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    shares: Shares,
    floor: Segments,
    cwnd: Segments,
    /// What of the window at the loss has not been accounted for.
    left: Segments,
}

impl Recovery {
    fn new(shares: Shares, pre_cwnd: Segments) -> Recovery {
        Recovery {
            shares,
            floor: (pre_cwnd * shares.beta / 3.0).max(MINIMUM),
            cwnd: pre_cwnd * shares.lost,
            left: pre_cwnd,
        }
    }

    fn account(&mut self, acked: Segments, lost: Segments) {
        let lost = lost.min(self.left);
        self.left -= lost;
        let acked = acked.min(self.left);
        self.left -= acked;
        self.cwnd -= self.shares.acked * acked + self.shares.lost * lost;
    }

    fn window(&self) -> Segments {
        self.cwnd.max(self.floor)
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Probing,
    Recovering(Recovery),
    Over,
}

/// The flight as the last ACK left it, to see by the next what was lost. In bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    expected: u64,
    delivered_total: u64,
}

impl Flight {
    /// Takes in an ACK; returns what it shows to be delivered and lost since the last.
    fn on_ack(&mut self, a: &Ack) -> (u64, u64) {
        let delivered = a.delivered_total.saturating_sub(self.delivered_total);
        let lost = self.expected.saturating_sub(delivered + a.flight);
        *self = Flight {
            expected: a.flight,
            delivered_total: a.delivered_total,
        };
        (delivered, lost)
    }
}

/// Rapid Start.
struct RapidStart {
    shares: Shares,
    initial_factor: f64,
    pacing: Pacing,
    w_max: f64,
    phase: Phase,
    sense: Sense,
    flight: Flight,
    /// What path and queue were found to hold, until the avoidance has been told.
    found: Option<Segments>,
}

impl RapidStart {
    fn new(params: &Params) -> Result<RapidStart, SpecError> {
        let beta = params.ratio("beta");
        if !(0.1..1.0).contains(&beta) {
            let expected = "a number from 0.1 to below 1";
            return Err(SpecError::bad_value(params, "beta", expected));
        }
        let k = if params.choice("k") == "2/3" {
            2.0 / 3.0
        } else {
            11.0 / 18.0
        };
        Ok(RapidStart {
            shares: Shares::new(beta, k),
            initial_factor: params.within("initial_factor", 1.0..=2.0)?,
            pacing: Pacing::new(params.bool("pacing")),
            w_max: params.within("w_max", 1.0..=2.0)?,
            phase: Phase::Probing,
            sense: Sense::new(params.choice("threshold") == "quicly"),
            flight: Flight::default(),
            found: None,
        })
    }
}

impl Startup for RapidStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.cwnd *= self.initial_factor;
        self.pacing.open(w, e.rtt, 1.0);
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.pacing.on_sent(w);
        self.flight.expected += u64::from(s.bytes);
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
        let rapid = self.sense.no_queue();
        let (gain, windows) = if rapid { (2.0, 3.0) } else { (1.0, 2.0) };
        if a.cwnd_limited {
            w.cwnd += gain * w.segments(a.acked);
        }
        self.pacing.update(w, a.rtt, windows);
        if !w.in_slow_start() {
            self.cancel(w);
        }
        None
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) -> LossResponse {
        if !matches!(self.phase, Phase::Probing) {
            self.phase = Phase::Over;
            return LossResponse::Standard;
        }
        self.cancel(w);
        let recovery = Recovery::new(self.shares, w.cwnd);
        w.cwnd = recovery.window();
        w.ssthresh = w.cwnd;
        self.phase = Phase::Recovering(recovery);
        LossResponse::SelfManaged
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        let (delivered, lost) = self.flight.on_ack(a);
        if let Phase::Recovering(recovery) = &mut self.phase {
            recovery.account(w.segments(delivered), w.segments(lost));
            w.cwnd = recovery.window().min(w.cwnd);
        }
    }

    /// All that was out at the loss and is not known to be lost has been delivered.
    fn on_recovered(&mut self, w: &mut Window, _r: &Recovered) {
        let Phase::Recovering(mut recovery) = self.phase else {
            return;
        };
        recovery.account(recovery.left, 0.0);
        w.cwnd = recovery.window();
        w.ssthresh = w.cwnd;
        self.found = Some(self.w_max * w.cwnd / self.shares.beta);
        self.phase = Phase::Over;
    }

    fn loss_cwnd(&mut self) -> Option<Segments> {
        self.found.take()
    }

    fn cancel(&mut self, w: &mut Window) {
        self.pacing.end(w);
        self.phase = Phase::Over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::AlgorithmKind;
    use crate::testing::{ms, slow_start, with_reno};
    use crate::Rate;
    use crate::{catalog, Convention};

    const MSS: u64 = 1460;
    const DRAFTS_K: f64 = 2.0 / 3.0;

    fn rapid_start(spec: &str) -> RapidStart {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
        RapidStart::new(&params).unwrap()
    }

    /// The window after so much was delivered and lost of `pre`.
    fn after(beta: f64, pre: f64, acked: f64, lost: f64) -> f64 {
        let mut recovery = Recovery::new(Shares::new(beta, DRAFTS_K), pre);
        recovery.account(acked, lost);
        recovery.window()
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
    }

    /// V1, V2 and V3
    #[test]
    fn what_is_left_is_beta_of_what_was_delivered_however_far_it_overshot() {
        assert_near(after(0.7, 300.0, 100.0, 200.0), 70.0);
        assert_near(after(0.7, 200.0, 100.0, 100.0), 70.0);
        assert_near(after(0.7, 110.0, 100.0, 10.0), 70.0);
        let floor = Recovery::new(Shares::new(0.7, DRAFTS_K), 300.0).floor;
        assert_near(floor, 70.0);
    }

    /// V4
    #[test]
    fn without_losses_beta_of_the_whole_window_is_left() {
        assert_near(after(0.7, 150.0, 150.0, 0.0), 105.0);
    }

    /// V5
    #[test]
    fn with_half_for_beta() {
        assert_near(after(0.5, 300.0, 100.0, 200.0), 50.0);
        for (beta, silence, acked) in [
            (0.5, 5.0 / 6.0, 1.0 / 3.0),
            (0.7, 9.0 / 10.0, 1.0 / 5.0),
            (0.8, 14.0 / 15.0, 2.0 / 15.0),
        ] {
            let shares = Shares::new(beta, DRAFTS_K);
            assert_near(shares.lost, silence);
            assert_near(shares.acked, acked);
        }
        let quicly = Shares::new(0.7, 11.0 / 18.0);
        assert!((quicly.acked - 0.18333).abs() < 1e-5 && (quicly.lost - 0.88333).abs() < 1e-5);
    }

    /// V6
    #[test]
    fn the_silence_lasts_three_tenths_of_a_full_path_at_the_worst_loss() {
        let silent = |k: f64| {
            let mut recovery = Recovery::new(Shares::new(0.7, k), 3000.0);
            let (mut flight, mut acked) = (3000.0, 0.0);
            while flight > recovery.window() {
                recovery.account(1.0, 2.0);
                flight -= 3.0;
                acked += 1.0;
            }
            acked
        };
        for (k, of_a_thousand) in [(DRAFTS_K, 300.0), (11.0 / 18.0, 1000.0 / 3.0)] {
            let acked = silent(k);
            assert!(
                (of_a_thousand..of_a_thousand + 1.5).contains(&acked),
                "{acked}"
            );
        }
    }

    /// V7
    #[test]
    fn the_round_trip_that_says_that_there_is_a_queue() {
        for (least, draft, quicly) in [
            (20.0, 22.0, 24.0),
            (40.0, 44.0, 44.0),
            (100.0, 104.0, 109.375),
        ] {
            for (reading, expected) in [(false, draft), (true, quicly)] {
                let mut sense = Sense::new(reading);
                sense.sample(ms(least), ms(1000.0));
                assert_eq!(sense.threshold(), ms(expected), "{least}");
                assert!(sense.no_queue());
            }
        }
        let mut short = Sense::new(true);
        short.sample(ms(3.9), ms(1000.0));
        assert!(!short.no_queue());
    }

    /// V8
    #[test]
    fn growth_is_threefold_without_a_queue_and_twofold_with_one() {
        for (queue, expected) in [(0.0, 30.0), (5.0, 20.0)] {
            let mut r = rapid_start("");
            let mut w = Window::new(MSS as u32);
            w.cwnd = 10.0;
            r.sense.min_rtt = ms(100.0);
            let a = Ack {
                rtt: Some(ms(100.0 + queue)),
                ..Ack::of(ms(1000.0), 10 * MSS)
            };
            r.on_ack(&mut w, &a, &mut slow_start());
            assert_eq!(w.cwnd, expected);
        }
    }

    /// One low sample in the last round trip is enough, and no older one.
    #[test]
    fn the_floor_is_the_least_of_the_last_round_trip() {
        let mut sense = Sense::new(false);
        sense.sample(ms(100.0), ms(1000.0));
        for at in 1..=18 {
            sense.sample(ms(150.0), ms(1000.0 + 5.0 * f64::from(at)));
            assert!(sense.no_queue(), "{at}");
        }
        sense.sample(ms(150.0), ms(1100.0));
        assert_eq!((sense.floor(), sense.no_queue()), (ms(150.0), false));
        sense.sample(ms(103.0), ms(5000.0));
        assert!(sense.no_queue());
    }

    fn established(spec: &str) -> Window {
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(100.0)),
            ..Established::at(ms(100.0))
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

    #[test]
    fn what_left_the_flight_without_being_delivered_was_lost() {
        let mut flight = Flight {
            expected: 10 * MSS,
            delivered_total: 0,
        };
        let a = Ack {
            delivered_total: 3 * MSS,
            flight: 5 * MSS,
            ..Ack::of(Time::ZERO, 0)
        };
        assert_eq!(flight.on_ack(&a), (3 * MSS, 2 * MSS));
        assert_eq!(flight.on_ack(&a), (0, 0));
    }

    /// Three windows were sent of which one was delivered; CUBIC then takes the loss to have
    /// come at twice what was.
    #[test]
    fn the_first_recovery_from_its_loss_to_the_avoidance() {
        let mut c = catalog::controller("rapid-start", "cubic", Convention::Rfc).unwrap();
        let mut w = Window::new(MSS as u32);
        c.on_established(&mut w, &Established::at(Time::ZERO));
        w.cwnd = 300.0;
        let sent = Sent {
            now: Time::ZERO,
            bytes: 300 * MSS as u32,
            seq: 0,
            retransmission: false,
            flight: 300 * MSS,
        };
        c.on_sent(&mut w, &sent);
        let loss = Loss {
            now: ms(100.0),
            flight: 300 * MSS,
            usable: 300.0,
        };
        c.on_loss(&mut w, &loss);
        assert_near(w.cwnd, 270.0);
        assert!(c.recovery_is_self_managed());
        let half = Ack {
            delivered_total: 50 * MSS,
            flight: 150 * MSS,
            ..Ack::of(ms(150.0), 0)
        };
        c.on_recovery_ack(&mut w, &half);
        assert_near(w.cwnd, 270.0 - 10.0 - 90.0);
        let all = Ack {
            delivered_total: 100 * MSS,
            flight: 0,
            ..Ack::of(ms(200.0), 0)
        };
        c.on_recovery_ack(&mut w, &all);
        let recovered = Recovered {
            now: ms(400.0),
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
                ..Ack::of(ms(500.0 + 100.0 * f64::from(round)), MSS)
            };
            (0..70).for_each(|_| c.on_ack(&mut w, &limited));
        }
        // A curve around a hundred would be at 87.
        assert!(w.cwnd > 100.0, "{}", w.cwnd);
    }

    #[test]
    fn constants_that_make_no_sense_are_refused() {
        let complaint = |spec| {
            let refused = with_reno(&ENTRY, spec, Convention::Rfc);
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
