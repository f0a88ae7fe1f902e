//! SEARCH: leave slow start when what is delivered stops keeping up with what was sent.
//!
//! draft-chung-ccwg-search-09 (J. Chung, M. Kachooei, F. Li, M. Claypool, March 2026, individual),
//! after "Improving TCP Slow Start Performance in Wireless Networks with SEARCH",
//! WoWMoM 2024. While slow start is below capacity, what comes back over some round trips is
//! what was sent over as many, one round trip before. Once the path is full, deliveries stay
//! level while sending had doubled. Delays tell the same sooner, but on satellite, cellular and
//! Wi-Fi links they rise and fall by tens of milliseconds for no reason of the flow's;
//! volumes over a window of several round trips average that out. The window is 3.5 round
//! trips because the delays of such links were found to swing with periods of about three.
//! SEARCH decides the exit only, so any growth goes with it.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `version` | 4.0 | deliveries against what was sent (4.0), or against twice what was delivered a round trip ago (3.0) |
//! | `thresh` | 0.26 (4.0), 0.35 (3.0) | THRESH: the share that must be missing |
//! | `extra_bins` | 15 | EXTRA_BINS: how far back it remembers beyond the window |
//! | `look_back` | initial | by which round trip it looks back |
//! | `interpolation` | backward | which neighbour a look-back between two bins leans on |
//! | `reset` | true | whether more bins without an ACK than the window has start it anew |
//! | `exit` | at-once | what happens to the window |
//! | `speed` | slow-start | how fast it grows until then |
//! | `growth`, `limit`, `iw`, `ssthresh` | as [`super::slow_start`] | |
//!
//! # State
//!
//! Bytes sent and acknowledged, and both at the end of each bin of 0.35 initial round trips;
//! where the bin under way ends; the target and the count of a drain.
//!
//! # Contested
//!
//! - The pseudocode and the implementations look back by the latest sample (`look_back=latest`),
//!   but what the draft says of the delay of a decision, about two round trips, and of the share
//!   that is then missing holds for a constant round trip. Before a queue that drops only what
//!   it has no room for, the latest sample points at the very segments that the deliveries
//!   answer, and nothing is missing but what the growth of the queue has moved out of the
//!   window: a tenth when it has grown to one bandwidth-delay product, and 0.26 at 1.7, with five
//!   in flight. The default is the round trip that the bins come from, with which the decision comes
//!   1.45 round trips after capacity is reached (2.2 with 0.35) and before the sender hears
//!   of a loss, if the buffer holds at least one product. The window is then three products or a
//!   little more, so only a buffer of some two and a half loses nothing.
//! - -09's text leans *forward* between two bins, to what was sent after the moment that is
//!   looked for; Mozilla's implementers, who asked the authors, call that a slip. Forward takes
//!   more for sent and leaves too soon, so `backward` is the default.
//! - THRESH is 0.26 in -09; the authors' Linux module kept 0.35, which the versions before had.
//! - -09 empties the queue after the decision (`exit=drain`); Mozilla leaves at once, since
//!   CUBIC's range begins above the target. At once is the default; a drain lasts two round
//!   trips at most. Up to version 3.0 the window could be rolled back instead
//!   (`exit=roll-back`), by what the last two initial round trips delivered.
//! - -09 leaves the reset to the implementer. Without it, silence looks like a full path.
//! - A bin is judged once it is the eleventh after the first, so that the earlier neighbour has
//!   a whole window too; version 3.0 judged the tenth.

use super::rapid_start::{self, Speed};
use super::slow_start::{self, Growth, Opening};
use super::{LossResponse, Startup};
use crate::catalog::{Certainty, Entry};
use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::signals::{Ack, Established, Idle, Loss, Sent, Timeout};
use crate::{Convention, Reason, Segments, Time, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "search",
    title: "SEARCH",
    source: "draft-chung-ccwg-search-09",
    year: 2026,
    summary: "Slow start that ends when deliveries over 3.5 round trips fall behind what was \
              sent a round trip before.",
    params: &[
        VERSION,
        THRESH,
        EXTRA_BINS,
        LOOK_BACK,
        INTERPOLATION,
        RESET,
        EXIT,
        rapid_start::SPEED,
        slow_start::GROWTH,
        slow_start::LIMIT,
        slow_start::IW,
        slow_start::SSTHRESH,
    ],
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| Ok(Box::new(Search::new(params, convention)?)),
};

const VERSION: ParamSpec = ParamSpec {
    name: "version",
    unit: Unit::Choice(&["4.0", "3.0"]),
    default: "4.0",
    meaning: "what deliveries are compared with: what was sent a round trip before (4.0, drafts \
              -08 and -09), or twice what was delivered a round trip before (3.0, drafts up to \
              -06)",
};

const THRESH: ParamSpec = ParamSpec {
    name: "thresh",
    unit: Unit::Ratio,
    default: "by version: 0.26 in 4.0, 0.35 in 3.0",
    meaning: "THRESH: it leaves when this share of what should have been delivered is missing",
};

const EXTRA_BINS: ParamSpec = ParamSpec {
    name: "extra_bins",
    unit: Unit::Number,
    default: "15",
    meaning: "EXTRA_BINS: it looks back by fewer bins than this, so it sees nothing while a \
              round trip is 0.35 times as many initial ones or more (40 in the authors' Linux \
              module 4.0)",
};

const LOOK_BACK: ParamSpec = ParamSpec {
    name: "look_back",
    unit: Unit::Choice(&["initial", "latest"]),
    default: "initial",
    meaning: "the round trip by which it looks back: the one that the bins come from (the \
              behaviour that the draft describes), or the latest sample (its pseudocode and its \
              implementations), which sees past a queue that grows",
};

const INTERPOLATION: ParamSpec = ParamSpec {
    name: "interpolation",
    unit: Unit::Choice(&["backward", "forward"]),
    default: "backward",
    meaning: "a look-back that falls between the ends of two bins is weighed with the bin \
              before, or with the one after as the text of -09 has it",
};

const RESET: ParamSpec = ParamSpec {
    name: "reset",
    unit: Unit::Bool,
    default: "true",
    meaning: "whether it starts anew after more bins without an ACK than the window has",
};

const EXIT: ParamSpec = ParamSpec {
    name: "exit",
    unit: Unit::Choice(&["at-once", "drain", "roll-back"]),
    default: "at-once",
    meaning: "what the decision does: the threshold is the window (at-once); one segment leaves \
              for three delivered until the window is what an initial round trip delivered \
              (drain, -09); the window falls by what two initial round trips delivered \
              (roll-back, up to 3.0)",
};

/// W: bins of the window.
const W: u64 = 10;
/// WINDOW_FACTOR: round trips of the window, in hundredths.
const WINDOW_FACTOR_PERCENT: u64 = 350;
/// SEARCH_DRAIN_ACKEDSEG_THRESH: segments delivered for one that leaves.
const DRAIN_ACKEDSEG_THRESH: u64 = 3;
/// A drain ends after so many round trips.
const DRAIN_RTTS: u64 = 2;

/// What the decision does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    AtOnce,
    Drain,
    RollBack,
}

#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Deliveries are compared with what was sent (4.0).
    against_sent: bool,
    /// THRESH in ten thousandths.
    thresh: u128,
    extra_bins: u64,
    by_initial: bool,
    forward: bool,
    reset: bool,
    exit: Exit,
}

impl Rules {
    fn read(params: &Params) -> Result<Rules, SpecError> {
        let against_sent = params.choice("version") == "4.0";
        let by_version = if against_sent { 0.26 } else { 0.35 };
        let thresh = params.ratio_given("thresh").unwrap_or(by_version);
        let extra_bins = params.number("extra_bins");
        if extra_bins.fract() != 0.0 || !(1.0..=1000.0).contains(&extra_bins) {
            let expected = "a whole number from 1 to 1000";
            return Err(SpecError::bad_value(params, "extra_bins", expected));
        }
        Ok(Rules {
            against_sent,
            thresh: (thresh * 10_000.0).round() as u128,
            extra_bins: extra_bins as u64,
            by_initial: params.choice("look_back") == "initial",
            forward: params.choice("interpolation") == "forward",
            reset: params.bool("reset"),
            exit: match params.choice("exit") {
                "drain" => Exit::Drain,
                "roll-back" => Exit::RollBack,
                _ => Exit::AtOnce,
            },
        })
    }
}

/// All bytes acknowledged and sent up to the end of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    acked: u64,
    sent: u64,
}

/// The bins that are remembered. Their numbers grow without end.
#[derive(Clone, Debug)]
struct Bins {
    ring: Box<[Totals]>,
    /// The bin that ended last.
    idx: u64,
    initial_rtt: Time,
    duration: Time,
    /// When the bin under way ends.
    end: Time,
}

impl Bins {
    /// `SEARCH_INIT`: the bins last 0.35 of this round trip.
    fn restart(&mut self, rtt: Time, now: Time, totals: Totals) {
        let tenths = rtt.times(WINDOW_FACTOR_PERCENT).over(100).over(W);
        self.initial_rtt = rtt;
        self.duration = tenths.max(Time(1));
        self.end = now + self.duration;
        self.idx = 0;
        self.ring[0] = totals;
    }

    /// `UPDATE_BINS`: how many bins have passed with this ACK; equality ends none.
    fn passed(&self, now: Time) -> u64 {
        if now <= self.end {
            return 0;
        }
        now.since(self.end).nanos() / self.duration.nanos() + 1
    }

    /// Ends so many bins; in those before the last nothing happened.
    fn close(&mut self, passed: u64, totals: Totals) {
        let size = self.ring.len() as u64;
        let last = *self.at(self.idx);
        // More than fit are all alike.
        for i in 1..passed.min(size) {
            self.ring[((self.idx + passed - i) % size) as usize] = last;
        }
        self.idx += passed;
        self.end += self.duration.times(passed);
        self.ring[(self.idx % size) as usize] = totals;
    }

    fn at(&self, bin: u64) -> &Totals {
        &self.ring[(bin % self.ring.len() as u64) as usize]
    }

    /// The bin that ended a round trip ago, and how far before its end that was, in hundredths
    /// of a bin; none while there are not enough bins, or if the round trip is too long.
    fn look_back(&self, rtt: Time, extra_bins: u64) -> Option<(u64, u64)> {
        let back = rtt.nanos() / self.duration.nanos();
        let fraction = (rtt.nanos() % self.duration.nanos()).saturating_mul(100);
        let p = self.idx.checked_sub(back)?;
        (p > W && back < extra_bins).then(|| (p, fraction / self.duration.nanos()))
    }

    /// What the window that ended with `bin` brought.
    fn window(&self, bin: u64, of: fn(&Totals) -> u64) -> u64 {
        of(self.at(bin)) - of(self.at(bin - W))
    }

    /// What so many initial round trips up to now delivered, in whole bins.
    fn delivered_in_rtts(&self, rtts: u64) -> u64 {
        let bins = (rtts * W * 100).div_ceil(WINDOW_FACTOR_PERCENT);
        self.at(self.idx).acked - self.at(self.idx.saturating_sub(bins)).acked
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Before the first ACK with a round trip.
    Waiting,
    Watching,
    Draining(Drain),
    Done,
}

/// The queue is being emptied.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drain {
    target: Segments,
    /// `drain_acc`, in bytes.
    delivered: u64,
    until: Time,
}

impl Drain {
    /// One segment leaves for three delivered; false once the window is the target.
    fn goes_on(&mut self, w: &mut Window, a: &Ack) -> bool {
        self.delivered += a.acked;
        let price = DRAIN_ACKEDSEG_THRESH * u64::from(w.mss);
        let leaving = (self.delivered / price) as f64;
        self.delivered %= price;
        w.cwnd = (w.segments(a.flight) + leaving)
            .max(self.target)
            .min(w.cwnd);
        w.cwnd > self.target && a.now < self.until
    }
}

/// SEARCH.
struct Search {
    rules: Rules,
    opening: Opening,
    growth: Growth,
    speed: Speed,
    phase: Phase,
    totals: Totals,
    bins: Bins,
    latest_rtt: Time,
    iw: Segments,
}

impl Search {
    fn new(params: &Params, convention: Convention) -> Result<Search, SpecError> {
        let rules = Rules::read(params)?;
        let size = (W + 1 + rules.extra_bins) as usize;
        Ok(Search {
            rules,
            opening: Opening::read(params, convention),
            growth: Growth::read(params, convention),
            speed: Speed::read(params),
            phase: Phase::Waiting,
            totals: Totals::default(),
            bins: Bins {
                ring: vec![Totals::default(); size].into(),
                idx: 0,
                initial_rtt: Time::ZERO,
                duration: Time(1),
                end: Time::ZERO,
            },
            latest_rtt: Time::ZERO,
            iw: 0.0,
        })
    }

    /// Everything is forgotten; the next ACK begins anew.
    fn reset(&mut self) {
        self.phase = Phase::Waiting;
        self.totals = Totals::default();
    }

    /// `SEARCH_UPDATE`: whether it is time to leave.
    fn update(&mut self, a: &Ack) -> bool {
        self.totals.acked += a.acked;
        self.latest_rtt = a.rtt.unwrap_or(self.latest_rtt);
        if self.phase == Phase::Waiting {
            if let Some(rtt) = a.rtt {
                self.bins.restart(rtt, a.now, self.totals);
                self.phase = Phase::Watching;
            }
            return false;
        }
        let passed = self.bins.passed(a.now);
        if passed > W && self.rules.reset {
            self.reset();
            return false;
        }
        if passed == 0 {
            return false;
        }
        self.bins.close(passed, self.totals);
        self.too_little()
    }

    /// Whether THRESH of what should have been delivered is missing.
    fn too_little(&self) -> bool {
        let rtt = if self.rules.by_initial {
            self.bins.initial_rtt
        } else {
            self.latest_rtt
        };
        let Some((p, f)) = self.bins.look_back(rtt, self.rules.extra_bins) else {
            return false;
        };
        let (times, of): (u64, fn(&Totals) -> u64) = match self.rules.against_sent {
            true => (1, |t| t.sent),
            false => (2, |t| t.acked),
        };
        let neighbour = if self.rules.forward {
            (p + 1).min(self.bins.idx)
        } else {
            p - 1
        };
        let (a, b) = (self.bins.window(neighbour, of), self.bins.window(p, of));
        let expected = times * ((a * f + b * (100 - f)) / 100);
        let delivered = self.bins.window(self.bins.idx, |t| t.acked);
        let missing = u128::from(expected.saturating_sub(delivered));
        expected > 0 && missing * 10_000 >= self.rules.thresh * u128::from(expected)
    }

    /// `SEARCH_EXIT_SLOW_START`.
    fn leave(&mut self, w: &mut Window, a: &Ack) {
        let delivered = |rtts| w.segments(self.bins.delivered_in_rtts(rtts));
        self.phase = Phase::Done;
        match self.rules.exit {
            Exit::Drain if delivered(1).max(self.iw) < w.cwnd => {
                self.phase = Phase::Draining(Drain {
                    target: delivered(1).max(self.iw),
                    delivered: 0,
                    until: a.now + self.latest_rtt.times(DRAIN_RTTS),
                });
                return;
            }
            Exit::RollBack => w.cwnd = (w.cwnd - delivered(2)).max(self.iw).min(w.cwnd),
            Exit::AtOnce | Exit::Drain => {}
        }
        w.ssthresh = w.cwnd;
        self.growth.spare(a);
    }
}

impl Startup for Search {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.opening.open(w, e);
        self.iw = w.cwnd;
    }

    fn on_sent(&mut self, _w: &mut Window, s: &Sent) -> Option<Reason> {
        self.totals.sent += u64::from(s.bytes);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        let factor = self.speed.factor(a);
        if let Phase::Draining(drain) = &mut self.phase {
            if !drain.goes_on(w, a) {
                w.ssthresh = w.cwnd;
                self.phase = Phase::Done;
            }
            return None;
        }
        if self.phase != Phase::Done && self.update(a) {
            self.leave(w, a);
            return Some(Reason::FullPipe);
        }
        self.growth.grow_by(w, a, factor);
        None
    }

    /// A congestion signal ends it.
    fn on_loss(&mut self, _w: &mut Window, _l: &Loss) -> LossResponse {
        self.growth.on_loss();
        self.phase = Phase::Done;
        LossResponse::Standard
    }

    /// The slow start after a timeout is watched like the first.
    fn on_timeout(&mut self, _w: &mut Window, _t: &Timeout) {
        self.growth.on_timeout();
        self.reset();
    }

    fn on_idle(&mut self, _w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.reset();
        false
    }

    fn leftover(&self) -> u64 {
        self.growth.leftover()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Kind;
    use crate::testing::{ms, with_reno};

    const MSS: u64 = 1460;

    fn search(spec: &str) -> Search {
        let params = Params::parse(Kind::Startup, ENTRY.name, ENTRY.params, spec).unwrap();
        Search::new(&params, Convention::Rfc).unwrap()
    }

    fn window(cwnd: f64) -> Window {
        Window {
            cwnd,
            ..Window::new(MSS as u32)
        }
    }

    fn ack(at: Time, acked: u64, rtt: f64) -> Ack {
        Ack {
            rtt: Some(ms(rtt)),
            ..Ack::of(at, acked)
        }
    }

    /// One that had its first ACK at 100 ms, with that round trip.
    fn begun(spec: &str) -> Search {
        let mut s = search(spec);
        assert!(!s.update(&ack(ms(100.0), MSS, 100.0)));
        s
    }

    fn sent(s: &mut Search, bytes: u64) {
        let sent = Sent {
            now: Time::ZERO,
            bytes: bytes as u32,
            seq: 0,
            retransmission: false,
            flight: 0,
        };
        s.on_sent(&mut window(10.0), &sent);
    }

    /// V1
    #[test]
    fn a_bin_is_035_of_the_first_round_trip_and_its_end_belongs_to_it() {
        let mut s = begun("");
        assert_eq!((s.bins.duration, s.bins.end), (ms(35.0), ms(135.0)));
        s.update(&ack(ms(135.0), MSS, 100.0));
        assert_eq!(s.bins.idx, 0);
        s.update(&ack(ms(135.0) + Time(1), MSS, 100.0));
        assert_eq!((s.bins.idx, s.bins.end), (1, ms(170.0)));
        let mut s = begun("");
        s.update(&ack(ms(170.0) + Time(1), MSS, 100.0));
        assert_eq!(s.bins.idx, 2);
        assert_eq!(s.bins.at(1), s.bins.at(0));
        assert_eq!(s.bins.at(2).acked, 2 * MSS);
    }

    /// V2
    #[test]
    fn how_far_it_looks_back() {
        let mut s = begun("");
        s.bins.idx = 40;
        let look = |rtt| s.bins.look_back(ms(rtt), 15).map(|(p, f)| (40 - p, f));
        assert_eq!(look(100.0), Some((2, 85)));
        assert_eq!(look(70.0), Some((2, 0)));
        assert_eq!(look(600.0), None);
        assert_eq!(look(525.0), None);
        assert_eq!(look(524.0).map(|(back, _)| back), Some(14));
        s.bins.idx = 12;
        assert_eq!(s.bins.look_back(ms(100.0), 15), None, "too young");
        s.bins.idx = 13;
        assert_eq!(s.bins.look_back(ms(100.0), 15), Some((11, 85)));
    }

    /// After fourteen bins, 1000 i² bytes sent by the end of bin i and so many delivered in
    /// the last ten.
    fn quadratic(spec: &str, delivered: u64) -> Search {
        let mut s = begun(spec);
        for i in 1..=14 {
            let totals = Totals {
                sent: 1000 * i * i,
                acked: if i == 14 { delivered } else { 0 },
            };
            s.bins.ring[0].acked = 0;
            s.bins.close(1, totals);
        }
        s
    }

    /// V3
    #[test]
    fn a_quarter_may_be_missing_but_not_26_hundredths() {
        assert!(quadratic("", 91_020).too_little());
        assert!(!quadratic("", 91_021).too_little());
        assert!(quadratic("interpolation=forward", 110_000).too_little());
        assert!(!quadratic("", 110_000).too_little());
        assert!(!quadratic("thresh=0.35", 91_020).too_little());
    }

    /// V4
    #[test]
    fn steady_sending_has_nothing_missing() {
        let mut s = begun("thresh=0.0001");
        for i in 1..=20 {
            sent(&mut s, 1000);
            let at = ms(100.0 + 35.0 * i as f64) + Time(1);
            assert!(!s.update(&ack(at, 1000, 100.0)));
        }
        let expected = s.bins.window(18, |t| t.sent);
        let delivered = s.bins.window(20, |t| t.acked);
        assert_eq!((expected, delivered), (10_000, 10_000));
    }

    /// V5
    #[test]
    fn eleven_silent_bins_start_it_anew() {
        let after = |bins: f64, spec: &str| {
            let mut s = begun(spec);
            s.update(&ack(ms(100.0 + 35.0 * bins) + Time(1), MSS, 100.0));
            s
        };
        assert_eq!(after(10.0, "").bins.idx, 10);
        let mut s = after(11.0, "");
        assert_eq!((s.phase, s.totals), (Phase::Waiting, Totals::default()));
        s.update(&ack(ms(700.0), MSS, 200.0));
        assert_eq!((s.bins.idx, s.bins.duration), (0, ms(70.0)));
        assert_eq!(after(11.0, "reset=false").bins.idx, 11);
        assert_eq!(after(1e6, "reset=false").bins.idx, 1_000_000);
    }

    /// V6
    #[test]
    fn a_drain_lets_one_segment_leave_for_three_delivered() {
        let mut s = search("exit=drain");
        let mut w = window(100.0);
        s.phase = Phase::Draining(Drain {
            target: 60.0,
            delivered: 0,
            until: Time::MAX,
        });
        let mut windows = vec![];
        let mut flight = 100;
        while matches!(s.phase, Phase::Draining(_)) {
            flight -= 1;
            let a = Ack {
                flight: flight * MSS,
                ..ack(Time::ZERO, MSS, 100.0)
            };
            s.on_ack(&mut w, &a);
            windows.push(w.cwnd);
            flight = flight.max(w.cwnd_segments());
        }
        assert_eq!(windows[..6], [99.0, 98.0, 98.0, 97.0, 96.0, 96.0]);
        assert_eq!((w.cwnd, w.ssthresh), (60.0, 60.0));
    }

    #[test]
    fn a_drain_ends_after_two_round_trips_at_most() {
        let mut s = search("exit=drain");
        let mut w = window(100.0);
        s.phase = Phase::Draining(Drain {
            target: 60.0,
            delivered: 0,
            until: ms(300.0),
        });
        let a = Ack {
            flight: 90 * MSS,
            ..ack(ms(300.0), MSS, 100.0)
        };
        s.on_ack(&mut w, &a);
        assert_eq!((s.phase, w.cwnd, w.ssthresh), (Phase::Done, 90.0, 90.0));
    }

    /// When a sender leaves that doubles per round trip until it fills a path: in round trips
    /// after capacity is reached. Each ACK lets two segments leave; `rtt` says what round trip
    /// is measured then.
    fn left_at(spec: &str, rtt: fn(f64) -> f64) -> f64 {
        const STEPS: i32 = 200;
        const CAPACITY: f64 = 1e8;
        let mut s = search(spec);
        let mut w = window(10.0);
        for step in -10 * STEPS.. {
            let x = f64::from(step) / f64::from(STEPS);
            let delivered = (CAPACITY * x.min(0.0).exp2()) as u64 / STEPS as u64;
            let at = Time::from_secs_f64(10.0 + x);
            if s.on_ack(&mut w, &ack(at, delivered, 1000.0 * rtt(x)))
                .is_some()
            {
                return x;
            }
            sent(&mut s, 2 * delivered);
        }
        unreachable!("it leaves at some time")
    }

    /// The thresholds are crossed 1.45 and 2.20 round trips after capacity; a bin is 0.35.
    #[test]
    fn it_leaves_about_two_round_trips_after_capacity() {
        for (spec, crossed) in [
            ("", 1.45),
            ("thresh=0.35", 2.20),
            ("version=3.0", 2.20),
            ("version=3.0,thresh=0.26", 1.45),
        ] {
            let x = left_at(spec, |_| 1.0);
            assert!((crossed - 0.02..crossed + 0.37).contains(&x), "{spec}: {x}");
        }
    }

    /// The round trip through a queue without end: since when what is delivered now was sent.
    fn round_trip(x: f64) -> f64 {
        let volume = |x: f64| x.min(0.0).exp2() / std::f64::consts::LN_2 + x.max(0.0);
        let delivered = volume(x) / 2.0;
        let left = if delivered < volume(0.0) {
            (delivered * std::f64::consts::LN_2).log2()
        } else {
            delivered - volume(0.0)
        };
        x - left
    }

    /// With the latest sample 1.7 bandwidth-delay products wait before it sees anything.
    #[test]
    fn the_latest_sample_looks_past_a_growing_queue() {
        let x = left_at("look_back=latest", round_trip);
        assert!((3.86..4.25).contains(&x), "{x}");
        assert!((round_trip(3.88) - 2.66).abs() < 0.01);
        let x = left_at("look_back=initial", round_trip);
        assert!((1.43..1.82).contains(&x), "{x}");
    }

    /// What two initial round trips delivered fits in six bins.
    #[test]
    fn rolling_back_takes_what_two_round_trips_delivered() {
        let rolled = |cwnd| {
            let mut s = begun("version=3.0,exit=roll-back");
            s.iw = 10.0;
            for i in 1..=20 {
                let totals = Totals {
                    acked: MSS * i * 5,
                    sent: 0,
                };
                s.bins.close(1, totals);
            }
            let mut w = window(cwnd);
            s.leave(&mut w, &ack(ms(900.0), MSS, 100.0));
            (w.cwnd, w.ssthresh)
        };
        assert_eq!(rolled(100.0), (70.0, 70.0));
        assert_eq!(rolled(32.0), (10.0, 10.0));
        assert_eq!(rolled(8.0), (8.0, 8.0));
    }

    #[test]
    fn a_loss_ends_it_and_a_timeout_begins_it_anew() {
        let mut s = begun("");
        let loss = Loss {
            now: Time::ZERO,
            flight: 0,
            usable: 1.0,
        };
        assert_eq!(s.on_loss(&mut window(10.0), &loss), LossResponse::Standard);
        assert_eq!(s.phase, Phase::Done);
        let timeout = Timeout {
            now: Time::ZERO,
            flight: 0,
            usable: 1.0,
            repeated: false,
        };
        s.on_timeout(&mut window(10.0), &timeout);
        assert_eq!(s.phase, Phase::Waiting);
    }

    #[test]
    fn it_grows_threefold_at_rapid_starts_speed() {
        let grown = |spec: &str| {
            let mut s = search(spec);
            let mut w = window(10.0);
            for _ in 0..10 {
                s.on_ack(&mut w, &ack(ms(100.0), MSS, 100.0));
            }
            w.cwnd
        };
        assert_eq!([grown(""), grown("speed=rapid-start")], [20.0, 30.0]);
    }

    #[test]
    fn constants_that_make_no_sense_are_refused() {
        let complaint = |spec| {
            let refused = with_reno(&ENTRY, spec, Convention::Rfc);
            refused.err().unwrap().to_string()
        };
        assert_eq!(
            complaint("extra_bins=2.5"),
            "startup `search`: parameter `extra_bins`: `2.5` is not a whole number from 1 to 1000"
        );
        assert!(complaint("version=2.0").ends_with("`2.0` is not one of `4.0`, `3.0`"));
        assert!(complaint("thresh=26").ends_with("`26` is not a number from 0 to 1"));
    }
}
