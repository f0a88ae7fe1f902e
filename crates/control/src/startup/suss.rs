//! SUSS: where growth will continue for another round, do two rounds' growth in one.
//!
//! A. Arghavani, H. Zhang, D. Eyers, A. Arghavani, "SUSS: Improving TCP Performance by Speeding Up
//! Slow-Start", SIGCOMM 2024, and the authors' code for Linux 6.8. HyStart leaves slow start when
//! the ACK train of a round gets as long as half a round trip, or when delays rise by an eighth.
//! Both grow predictably, so a sender can see early in a round that neither will come true in the
//! next, and then the window may quadruple in this one. The data that plain slow start would have
//! sent, *blue* here, leaves by the ACK clock as ever, so that its ACKs continue to measure the
//! train; the rest, *red*, is paced over what remains of the round trip, between two guards.
//!
//! # State
//!
//! The code's: `round`, `blue_head` and `blue_tail`, the blue segments acknowledged and since
//! when, the length of the last round's blue train, `jumps`, whether growth is still predicted;
//! the minimum RTT, since which round it is so, and that of the round; HyStart's
//! samples; the cap; what is to be paced.
//!
//! # Contested
//!
//! - The paper's flow chart lets the growth factor be any power of two; the code has 2 and 4,
//!   and so does this.
//! - The code's red rounds want a sender that paces nothing else. Where the stack paces, it is
//!   kept from it until acceleration is over, and has its rate back then.
//! - The code raises the peer's window to what it would like to send; here the peer is obeyed.
//! - A round of which less than half of the blue ACKs came, because the application had no more,
//!   predicts nothing; growth then stays twofold.
//! - An ACK belongs to the train with its own segments, so the train of `n` segments that are
//!   acknowledged one by one is `n-1` gaps long.

use super::hystart::{self, ack_delay};
use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::signals::{Ack, Established, Idle, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `suss` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "suss",
    title: "SUSS",
    source: "Arghavani, Zhang, Eyers, Arghavani: SUSS, SIGCOMM 2024",
    year: 2024,
    opened: "code: the authors' CUBIC for Linux 6.8, SUSSdeveloper/SUSSprg; slides of the paper",
    compared: "two conditions, rounds, paced part, guard, HyStart's part",
    summary: "Slow start with HyStart that quadruples the window in a round, half of it paced, \
              where growth is predicted to continue.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(Suss::new(Settings::read(params)?))),
};

params! {
    pub struct Settings {
        /// rounds that are accelerated at most
        #[within(0..=10)]
        suss_max: u32 = "3",
        /// only paths with a longer round trip are accelerated
        least_rtt: Duration = "10ms",
        low_window: Segments as hystart::Settings,
    }
}

/// HyStart's samples of a round.
const N_SAMPLING: u32 = 8;
/// ACKs no further apart than this belong to one train.
const TRAIN_GAP: Duration = Duration::from_millis(2);

/// What of a round is red.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Acceleration {
    /// The window at the round's end.
    limit: Segments,
    rate: Rate,
    start: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Segments are sent by the ACK clock.
    Clocking,
    /// The last blue segments are leaving; then the red ones are paced.
    Armed(Acceleration),
    Pacing(Acceleration),
    /// No more acceleration, only HyStart.
    Plain,
    Done,
}

/// What is known of a round trip and of the round under way.
#[derive(Clone, Copy, Debug)]
struct Rtts {
    least: Duration,
    /// `r_min`: the round in which that was measured.
    since: u32,
    /// `mo_rtt`: the minimum of this round.
    round: Duration,
    samples: u32,
}

impl Rtts {
    fn sample(&mut self, rtt: Duration, round: u32) {
        if rtt < self.least {
            (self.least, self.since) = (rtt, round);
        }
        self.round = self.round.min(rtt);
        self.samples += 1;
    }

    /// HyStart's delay test, which begins with the ninth sample.
    fn risen(&self) -> bool {
        let rise = self.least.over(8);
        let rise = rise
            .max(Duration::from_millis(4))
            .min(Duration::from_millis(16));
        self.samples > N_SAMPLING && self.round > self.least + rise
    }

    /// Condition 2: the rise per round does not make up an eighth by the end of the next.
    fn stays_low(&self, round: u32) -> bool {
        let k = u64::from(round - self.since);
        let allowed = self.least.times(k + 1) + self.least.times(k).over(8);
        self.round.times(k + 1) <= allowed
    }
}

/// The blue part of rounds.
#[derive(Clone, Copy, Debug)]
struct Blue {
    /// 1 is the initial window's.
    round: u32,
    iw: Segments,
    head: u64,
    tail: u64,
    /// The ACKs that come are blue.
    coming: bool,
    start: Instant,
    last_ack: Instant,
    /// Segments acknowledged in this round's train.
    acked: Segments,
    /// `dt` of the last round that was predicted from.
    dt_before: Duration,
    /// `gf`: growth is still predicted.
    grows: bool,
    jumps: u32,
}

impl Blue {
    /// What plain slow start would send in this round.
    fn packets(&self) -> Segments {
        self.iw * doublings(self.round - 1)
    }

    /// The length of the train if all of it had come.
    fn dt(&self, now: Instant) -> Duration {
        let whole = self.packets() / 2.0 / self.acked;
        now.since(self.start).scaled(whole)
    }

    /// Condition 1 from round 3 on, `2 mu D <= minRTT`: the train, growing as it did, does not
    /// get as long as half a round trip in the next round.
    fn train_stays_short(&self, dt: Duration, least_rtt: Duration) -> bool {
        let d = u128::from(dt.nanos()) << (self.round - 2);
        let before = u128::from(self.dt_before.nanos()) << (self.round - 3);
        d * d <= before.max(1) * u128::from(least_rtt.nanos())
    }

    /// What is to be red in this round, in segments: to be sent, and to come back.
    fn red(&self) -> (Segments, Segments) {
        let packets = self.packets();
        let sent = packets * (doublings(self.round - 1) - 1.0);
        (sent, packets / 2.0 * (doublings(self.round - 2) - 1.0))
    }
}

fn doublings(n: u32) -> f64 {
    libm::exp2(f64::from(n))
}

/// State of SUSS on one connection.
#[derive(Clone)]
struct Suss {
    settings: Settings,
    phase: Phase,
    blue: Blue,
    rtts: Rtts,
    cap: Option<Segments>,
}

impl Suss {
    fn new(settings: Settings) -> Suss {
        Suss {
            settings,
            phase: Phase::Clocking,
            blue: Blue {
                round: 1,
                iw: 1.0,
                head: 0,
                tail: 0,
                coming: true,
                start: Instant::ZERO,
                last_ack: Instant::ZERO,
                acked: 0.0,
                dt_before: Duration::ZERO,
                grows: true,
                jumps: 0,
            },
            rtts: Rtts {
                least: Duration::MAX,
                since: 1,
                round: Duration::MAX,
                samples: 0,
            },
            cap: None,
        }
    }

    fn accelerates(&self) -> bool {
        !matches!(self.phase, Phase::Plain | Phase::Done)
    }

    fn start_round(&mut self, w: &mut Window, a: &Ack) {
        self.blue.round += 1;
        self.blue.acked = 0.0;
        self.blue.coming = true;
        (self.blue.start, self.blue.last_ack) = (a.now, a.now);
        self.blue.head = a.nxt;
        (self.rtts.round, self.rtts.samples) = (Duration::MAX, 0);
        if self.accelerates() {
            w.pacing = None;
            self.phase = Phase::Clocking;
        }
    }

    /// The ACK train of the blue data has ended: the round's speed is settled.
    fn end_train(&mut self, w: &mut Window, a: &Ack) {
        self.blue.coming = false;
        let length = (self.blue.packets() * f64::from(w.mss)) as u64;
        self.blue.tail = self.blue.head.saturating_add(length).saturating_sub(1);
        if !self.accelerates() || self.cap.is_some() {
            return;
        }
        let dt = self.blue.dt(a.now);
        self.blue.grows &= self.predict(dt);
        if !self.blue.grows {
            return self.end_acceleration(w, Phase::Plain);
        }
        self.blue.dt_before = dt;
        if let Some(plan) = self.plan(w, a, dt) {
            self.blue.jumps += 1;
            self.phase = Phase::Armed(plan);
        }
    }

    /// Whether growth will continue in the next round.
    fn predict(&self, dt: Duration) -> bool {
        let (blue, least) = (&self.blue, self.rtts.least);
        if blue.acked < blue.packets() / 4.0 {
            return false;
        }
        match blue.round {
            0..=2 => {
                self.settings.suss_max > 0 && least > self.settings.least_rtt && dt < least.over(4)
            }
            round => {
                round < self.settings.suss_max + 2
                    && blue.train_stays_short(dt, least)
                    && self.rtts.stays_low(round)
            }
        }
    }

    /// What is red in this round; nothing where no time is left to pace it in.
    fn plan(&self, w: &Window, a: &Ack, dt: Duration) -> Option<Acceleration> {
        let least = self.rtts.least;
        let slack = Duration(least.nanos() >> (self.blue.round - 1));
        let (sent, acked) = self.blue.red();
        let plan = Acceleration {
            limit: w.cwnd + w.segments(a.credit) + sent - acked,
            rate: w.rate_over(sent, least - slack)?,
            start: a.now + slack.saturating_sub(dt).over(2),
        };
        (slack > dt).then_some(plan)
    }

    /// A stack that paces sets its rate again.
    fn end_acceleration(&mut self, w: &mut Window, then: Phase) {
        if self.accelerates() {
            (w.pacing, w.pacing_from) = (None, Instant::ZERO);
        }
        self.phase = then;
    }

    /// HyStart: whether to leave, and a cap where the blue train foretells it.
    fn exit_reason(&mut self, w: &Window, a: &Ack, rtt: Option<Duration>) -> Option<Reason> {
        if self.cap.is_some_and(|cap| w.cwnd > cap) {
            return Some(Reason::AckTrain);
        }
        if rtt.is_none() || w.cwnd < self.settings.low_window {
            return None;
        }
        let close = a.now.since(self.blue.last_ack) <= TRAIN_GAP;
        if self.cap.is_none() && close && (self.blue.coming || self.blue.jumps == 0) {
            self.blue.last_ack = a.now;
            let length = a.now.since(self.blue.start).times(1 << self.blue.jumps);
            let whole = self.rtts.least + ack_delay(w, a.srtt);
            let paced = w.pacing.is_some();
            let most = if paced { whole } else { whole.over(2) };
            if length > most {
                let red = self.blue.acked * (doublings(self.blue.jumps) - 1.0);
                self.cap = Some(w.cwnd + red);
            }
        }
        self.rtts.risen().then_some(Reason::Delay)
    }

    fn leave(&mut self, w: &mut Window, a: &Ack) {
        self.end_acceleration(w, Phase::Done);
        if self.blue.jumps > 1 {
            w.cwnd = w.segments(a.flight).max(2.0).min(w.cwnd);
        }
        w.ssthresh = w.cwnd;
    }

    fn cancel(&mut self, w: &mut Window) {
        self.end_acceleration(w, Phase::Done);
    }
}

impl Startup for Suss {
    fn on_established(&mut self, w: &mut Window, _e: &Established) {
        self.blue.iw = w.cwnd.floor().max(1.0);
        self.blue.tail = w.cwnd_bytes().saturating_sub(1);
    }

    /// The window makes room for one red segment after the other, up to the threshold.
    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if !w.in_slow_start() && self.accelerates() {
            self.end_acceleration(w, Phase::Plain);
        }
        match self.phase {
            Phase::Armed(plan) if s.flight + u64::from(w.mss) > w.cwnd_bytes() => {
                self.phase = Phase::Pacing(plan);
                w.pacing = Some(plan.rate);
                w.pacing_from = plan.start;
                w.cwnd = (w.cwnd + 1.0).min(plan.limit.max(w.cwnd));
            }
            Phase::Pacing(plan) => w.cwnd = (w.cwnd + 1.0).min(plan.limit.max(w.cwnd)),
            _ => {}
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.phase == Phase::Done {
            slow_start.grow(w, a);
            return None;
        }
        if a.una > self.blue.head {
            self.start_round(w, a);
        }
        if let Some(rtt) = a.rtt {
            self.rtts.sample(rtt, self.blue.round);
        }
        if self.blue.coming {
            self.blue.acked += w.segments(a.credit);
        }
        if let Some(reason) = self.exit_reason(w, a, a.rtt) {
            self.leave(w, a);
            slow_start.leave_unused(a);
            return Some(reason);
        }
        if self.blue.coming && a.una > self.blue.tail {
            self.end_train(w, a);
            slow_start.grow(w, a);
        } else if !matches!(self.phase, Phase::Armed(_) | Phase::Pacing(_)) {
            slow_start.grow(w, a);
        }
        None
    }

    fn on_congestion(&mut self, w: &mut Window, _c: &Congestion) -> Response {
        self.cancel(w);
        Response::STANDARD
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        if self.phase != Phase::Done {
            self.end_acceleration(w, Phase::Plain);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Convention;
    use crate::params::{AlgorithmKind, Params};
    use crate::signals::Loss;
    use crate::testing::{at_ms, ms, slow_start, with_reno};

    const MSS: u64 = 1460;

    /// In this round of a path of 100 ms, with ten segments in the first.
    fn suss(spec: &str, round: u32) -> Suss {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
        let mut s = Suss::new(Settings::read(&params).unwrap());
        s.blue.iw = 10.0;
        s.blue.round = round;
        s.blue.acked = s.blue.packets() / 2.0;
        s.rtts.least = ms(100.0);
        s.rtts.round = ms(100.0);
        s
    }

    fn window(cwnd: f64) -> Window {
        Window {
            cwnd,
            header: 0,
            ..Window::new(MSS as u32)
        }
    }

    /// The table of the vectors: by round the blue and red packets, the red ones that come
    /// back, the pacing period, what is left of the round trip, and the window.
    #[test]
    fn each_accelerated_round_quadruples_the_window() {
        for (round, packets, red, red_acked, period, slack, limit) in [
            (2, 20.0, 20.0, 0.0, 50.0, 50.0, 40.0),
            (3, 40.0, 120.0, 20.0, 75.0, 25.0, 160.0),
            (4, 80.0, 560.0, 120.0, 87.5, 12.5, 640.0),
        ] {
            let s = suss("", round);
            assert_eq!(s.blue.packets(), packets);
            assert_eq!(s.blue.red(), (red, red_acked));
            // The window before the last blue ACK: what was sent, and the blue growth so far.
            let before = limit / 4.0 + packets / 2.0 - 1.0;
            let a = Ack::of(at_ms(1000.0), MSS);
            let plan = s.plan(&window(before), &a, Duration::ZERO).unwrap();
            assert_eq!(plan.limit, limit);
            assert_eq!(plan.start, at_ms(1000.0 + slack / 2.0));
            let rate = Rate::of(red as u64 * MSS, ms(period));
            assert_eq!(plan.rate, rate);
        }
    }

    /// V1
    #[test]
    fn the_second_round_is_accelerated_if_its_train_is_short_and_the_path_long() {
        let s = suss("", 2);
        assert!(s.predict(ms(4.0)));
        let plan = s.plan(&window(19.0), &Ack::of(at_ms(1000.0), MSS), ms(4.0));
        let plan = plan.unwrap();
        assert_eq!(plan.start, at_ms(1023.0));
        assert_eq!(plan.rate.bps(), 584_000 * 8);
        assert!(!s.predict(ms(25.0)));
        let mut near = suss("", 2);
        near.rtts.least = ms(9.0);
        assert!(!near.predict(ms(1.0)));
        assert!(!suss("suss_max=0", 2).predict(ms(4.0)));
    }

    /// V2
    #[test]
    fn a_train_may_grow_to_half_a_round_trip_by_the_end_of_the_next() {
        let mut s = suss("", 3);
        s.blue.dt_before = ms(4.0);
        assert!(s.predict(ms(4.0)));
        assert!(s.predict(ms(10.0)));
        assert!(!s.predict(ms(11.0)));
    }

    /// V3
    #[test]
    fn delays_may_rise_by_an_eighth_by_the_end_of_the_next_round() {
        let allows = |k: u32, round_rtt: f64| {
            let mut rtts = suss("", 3).rtts;
            rtts.since = 1;
            rtts.round = ms(round_rtt);
            rtts.stays_low(k + 1)
        };
        assert!(allows(1, 106.25) && !allows(1, 106.3));
        assert!(allows(2, 108.33) && !allows(2, 108.34));
        assert!(allows(999, 112.48) && !allows(999, 112.5));
        assert!(allows(0, 100.0));
    }

    /// V4
    #[test]
    fn the_fifth_round_is_as_ever() {
        let mut s = suss("", 4);
        s.blue.dt_before = ms(4.0);
        assert!(s.predict(ms(1.0)));
        let mut s = suss("", 5);
        s.blue.dt_before = ms(4.0);
        assert!(!s.predict(ms(1.0)));
        let mut s = suss("suss_max=4", 5);
        s.blue.dt_before = ms(4.0);
        assert!(s.predict(ms(1.0)));
    }

    /// V5
    #[test]
    fn a_train_that_lacks_a_few_is_taken_as_if_it_were_whole() {
        let mut s = suss("", 3);
        s.blue.acked = 18.0;
        s.blue.start = at_ms(100.0);
        assert_eq!(s.blue.dt(at_ms(109.0)), ms(10.0));
        s.blue.dt_before = ms(10.0);
        assert!(s.predict(ms(4.0)));
        s.blue.acked = 9.0;
        assert!(!s.predict(ms(4.0)), "less than half of it");
    }

    struct Flow {
        s: Suss,
        w: Window,
        una: u64,
        nxt: u64,
    }

    impl Flow {
        fn open(pacing: Option<Rate>) -> Flow {
            let mut flow = Flow {
                s: suss("", 1),
                w: window(1.0),
                una: 0,
                nxt: 0,
            };
            let e = Established {
                initial_window: 10.0,
                ..Established::at(Instant::ZERO)
            };
            slow_start().open(&mut flow.w, &e);
            flow.s.on_established(&mut flow.w, &e);
            flow.send(at_ms(0.0), 10);
            flow.w.pacing = pacing;
            flow
        }

        fn send(&mut self, now: Instant, count: u64) {
            for _ in 0..count {
                self.nxt += MSS;
                let sent = Sent {
                    now,
                    bytes: MSS as u32,
                    seq: self.nxt - MSS,
                    retransmission: false,
                    flight: self.nxt - self.una,
                };
                self.s.on_sent(&mut self.w, &sent);
            }
        }

        /// The ACK of one segment, and what the window lets out unless it is paced.
        fn ack(&mut self, now: Instant) -> Option<Reason> {
            self.una += MSS;
            let a = Ack {
                una: self.una,
                nxt: self.nxt,
                flight: self.nxt - self.una,
                rtt: Some(ms(100.0)),
                ..Ack::of(now, MSS)
            };
            let reason = self.s.on_ack(&mut self.w, &a, &mut slow_start());
            while self.w.pacing.is_none() && self.nxt - self.una + MSS <= self.w.cwnd_bytes() {
                self.send(now, 1);
            }
            reason
        }
    }

    #[test]
    fn blue_goes_by_the_clock_and_red_by_the_pacer() {
        let mut flow = Flow::open(Some(Rate(99)));
        for i in 0..10 {
            assert_eq!(flow.ack(at_ms(100.0 + 0.4 * f64::from(i))), None);
        }
        assert_eq!(flow.nxt, 30 * MSS, "twice what was acknowledged has left");
        let start = at_ms(103.6) + ms(50.0 - 3.6).over(2);
        assert_eq!(flow.w.pacing_from, start);
        assert_eq!(flow.w.pacing, Some(Rate::of(20 * MSS, ms(50.0))));
        assert_eq!(flow.w.cwnd, 21.0, "room for the first");
        flow.send(start, 20);
        assert_eq!(flow.w.cwnd, 40.0);
        // The next round is blue again, and its red ACKs add nothing.
        flow.ack(at_ms(200.0));
        assert_eq!((flow.w.pacing, flow.w.cwnd), (None, 41.0));
        for i in 1..20 {
            flow.ack(at_ms(200.0 + 0.2 * f64::from(i)));
        }
        let before = flow.w.cwnd;
        flow.ack(at_ms(230.0));
        assert_eq!((before, flow.w.cwnd), (61.0, 61.0));
        flow.send(at_ms(230.0), 120);
        assert_eq!(flow.w.cwnd, 160.0);
        let loss = Loss {
            now: at_ms(240.0),
            flight: 0,
            usable: 160.0,
        };
        flow.s.on_congestion(&mut flow.w, &Congestion::Loss(loss));
        assert_eq!(flow.w.pacing, None, "the stack sets its own again");
    }

    /// Two milliseconds apart, the blue ACKs of the third round take as long as the path allows
    /// for both halves of what quadrupled.
    #[test]
    fn a_long_train_ends_it_as_in_hystart() {
        let mut flow = Flow::open(None);
        let mut now = at_ms(100.0);
        let mut reason = None;
        while reason.is_none() {
            reason = flow.ack(now);
            now += ms(2.0);
        }
        assert_eq!(reason, Some(Reason::AckTrain));
        assert_eq!((flow.s.phase, flow.s.blue.jumps), (Phase::Done, 1));
        assert_eq!(flow.w.ssthresh, flow.w.cwnd);
    }

    #[test]
    fn constants_that_make_no_sense_are_refused() {
        let complaint = |spec| {
            let refused = with_reno(&ENTRY, spec, Convention::RFC);
            refused.err().unwrap().to_string()
        };
        assert_eq!(
            complaint("suss_max=1.5"),
            "startup `suss`: parameter `suss_max`: `1.5` is not a whole number from 0 to 10"
        );
    }
}
