//! Vegas' slow start: double every other round trip, and look in between.
//!
//! L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet", IEEE JSAC 13(8), 1995. Slow start cannot measure what it does, since the window
//! is another one by the time the ACKs show it. Vegas lets the window stand for one round
//! trip after each doubling and compares the rate that the round had with the rate that its
//! window would have on an empty path. When the difference is worth more than `gamma`
//! segments in a queue, the path is full: an eighth of the window is given back and linear
//! growth begins. It takes twice as many rounds as slow start, and bursts look like queues to
//! it, so on fast long paths it stops far too early.
//!
//! Linux looks at the minimum RTT of a round, which bursts do not inflate, doubles
//! every round, and drops to the window that would have had no queue. The measurement is that
//! of [`crate::avoidance::vegas`], where the variants are compared.
//!
//! # State
//!
//! The measurement of rounds; whether this one grows, `incr`, and whether the last one did,
//! `inc_flag`.
//!
//! # Contested
//!
//! - The paper's window only changes its mode on leaving; ns-2 gives back an eighth.
//! - ns-2 does not grow a window that is not used to within two segments.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::avoidance::vegas::{self, Round, Rounds, Variant, out};
use crate::entry::{Certainty, Entry};
use crate::signals::{Ack, Established, Idle};
use crate::slow_start::SlowStart;
use crate::{Convention, Reason, Segments, Window, params, with_slow_start};

/// Entry of `vegas-slow-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "vegas-slow-start",
    title: "Vegas slow start",
    source: "Brakmo, Peterson: TCP Vegas, IEEE JSAC 13(8), 1995; ns-2 VegasTcpAgent; \
             Linux 2.6.22 tcp_vegas.c",
    year: 1995,
    opened: "code: ns-2.35 VegasTcpAgent, Linux 2.6.22 tcp_vegas.c",
    compared: "doubling every other round, gamma, window at exit",
    summary: "Doubles the window every other round trip until more than gamma segments wait \
              in queues.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| {
        Ok(copies(VegasSlowStart::new(
            Settings::read(params)?,
            convention,
        )))
    },
};

params! {
    pub struct Settings {
        variant: Option<vegas::Variant> as vegas::Settings,
        /// slow start ends when more segments than these wait in queues
        gamma: Segments = "1",
        /// what leaves first: the initial window; or one segment and another one, as from ns-2's
        /// agent, which has no handshake, and the initial window with the ACK of that
        first: First = "window",
    }

    pub enum First { Window = "window", OneByOne = "one-by-one" }
}

/// State of Vegas' slow start on one connection.
#[derive(Clone)]
struct VegasSlowStart {
    variant: Variant,
    one_by_one: bool,
    /// The initial window, while segments leave one by one.
    held_back: Option<Segments>,
    acks: u32,
    gamma: Segments,
    rounds: Rounds,
    inc_flag: bool,
    incr: bool,
}

impl VegasSlowStart {
    fn new(settings: Settings, convention: Convention) -> VegasSlowStart {
        let variant = Variant::given(settings.variant, convention);
        VegasSlowStart {
            variant,
            one_by_one: settings.first == First::OneByOne,
            held_back: None,
            acks: 0,
            gamma: settings.gamma,
            rounds: Rounds::new(variant),
            inc_flag: true,
            incr: false,
        }
    }

    /// A round is over: true where slow start is.
    fn end_round(&mut self, w: &mut Window, round: Round) -> bool {
        let full = round.diff.is_some_and(|diff| diff > self.gamma);
        match self.variant {
            Variant::Linux if full => {
                w.ssthresh = 2.0;
                w.cwnd = w.cwnd.min((round.target + 1.0).max(2.0));
                return true;
            }
            Variant::Linux => return false,
            Variant::Ns2 | Variant::Paper => {}
        }
        self.inc_flag = !self.inc_flag;
        self.incr = self.inc_flag && !full;
        if self.inc_flag && full {
            w.ssthresh = 2.0;
            if self.variant == Variant::Ns2 {
                w.cwnd = w.cwnd.min((w.cwnd - w.cwnd / 8.0).max(2.0));
            }
            return true;
        }
        false
    }

    fn grow(&self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        match self.variant {
            Variant::Linux => slow_start.grow(w, a),
            Variant::Ns2 | Variant::Paper if !self.incr => {}
            Variant::Ns2 | Variant::Paper if w.cwnd - out(w, a) > 2.0 => {}
            Variant::Ns2 | Variant::Paper => slow_start.grow(w, a),
        }
    }
}

impl Startup for VegasSlowStart {
    fn on_established(&mut self, w: &mut Window, _e: &Established) {
        if self.one_by_one {
            self.held_back = Some(w.cwnd);
            w.cwnd = 1.0;
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.acks += 1;
        if self.acks == 2 {
            w.cwnd = self.held_back.take().unwrap_or(w.cwnd);
        }
        let round = self.rounds.on_ack(w, a);
        if round.is_some_and(|round| self.end_round(w, round)) {
            return Some(Reason::Delay);
        }
        self.grow(w, a, slow_start);
        None
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.rounds.on_recovery_ack(a);
    }

    fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() {
            self.rounds.restart();
            (self.inc_flag, self.incr) = (true, false);
        }
        Response::STANDARD
    }

    /// No window of ns-2's Vegas is below two segments. The kernel measures anew, its base included
    /// (`tcp_vegas_cwnd_event`), as its avoidance does.
    fn on_idle(&mut self, w: &mut Window, before: &Window, _i: &Idle) -> bool {
        if self.variant == Variant::Ns2 {
            w.cwnd = w.cwnd.max(before.cwnd.min(2.0));
        } else {
            self.rounds.restart();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::testing::{Bottleneck, Step, established};
    use crate::{Controller, Duration, Instant};

    /// A window acknowledged segment by segment at this round-trip time.
    fn round(c: &mut Controller, w: &mut Window, una: &mut u64, rtt: u64) {
        let nxt = *una + w.cwnd_segments() * 1460;
        while *una < nxt {
            *una += 1460;
            let ack = Ack {
                una: *una,
                nxt,
                rtt: Some(Duration::from_millis(rtt)),
                ..Ack::of(Instant::ZERO, 1460)
            };
            c.on_ack(w, &ack);
        }
    }

    #[test]
    fn after_an_idle_time_linux_learns_the_paths_round_trip_anew() {
        let left_after = |idles: bool| {
            let (mut c, mut w) = established("vegas-slow-start:variant=linux", Convention::RFC);
            let mut una = 0;
            (0..2).for_each(|_| round(&mut c, &mut w, &mut una, 100));
            let idle = Idle {
                now: Instant::from_secs(9),
                idle: Duration::from_secs(3),
                restart_window: 10.0,
            };
            if idles {
                c.on_idle(&mut w, &idle);
            }
            (0..2).for_each(|_| round(&mut c, &mut w, &mut una, 150));
            c.exit().map(|exit| exit.reason)
        };
        assert_eq!(left_after(false), Some(Reason::Delay));
        assert_eq!(left_after(true), None);
    }

    fn ns2(path: Bottleneck, initial_window: u32, segments: u64) -> Vec<Step> {
        let startup = format!("vegas-slow-start:first=one-by-one,iw={initial_window}");
        path.run(&startup, "vegas", Convention::NS2, segments, |_, _| {})
    }

    #[test]
    fn ns2_over_10_mbps_and_100_ms() {
        let path = Bottleneck {
            transmission: Duration::from_micros(1_200),
            rtt: Duration::from_nanos(101_234_464),
        };
        let steps = ns2(path, 2, 3_000);
        let window_at = |t: Instant| {
            let last = steps.iter().take_while(|s| s.at <= t).last();
            last.map_or(1.0, |s| s.cwnd)
        };
        let expected = [
            1.0, 1.0, 3.0, 3.0, 6.0, 6.0, 12.0, 12.0, 24.0, 24.0, 21.0, 22.0, 22.95, 23.91, 24.87,
            25.84,
        ];
        for (number, cwnd) in expected.into_iter().enumerate() {
            let t = Instant::from_millis(100 * (number as u64 + 1));
            assert!(
                (window_at(t) - cwnd).abs() < 0.06,
                "{} at {t}",
                window_at(t)
            );
        }
        let end = window_at(Instant::from_secs(6));
        assert!((end - 68.63).abs() < 0.06, "{end} at 6 s");
    }

    /// The recording `js_5M_64ms_q60`, Vegas, an ACK per packet: windows after the ACK of
    /// some packets, counted from zero.
    #[test]
    fn ns2_over_5_mbps_and_64_ms() {
        let path = Bottleneck {
            transmission: Duration::from_micros(2_336),
            rtt: Duration::from_micros(66_880),
        };
        let steps = ns2(path, 3, 2_000);
        for (number, at, cwnd) in [
            (0, 66_880, 1.0),
            (1, 133_760, 4.0),
            (6, 267_520, 5.0),
            (9, 274_528, 8.0),
            (18, 401_280, 9.0),
            (25, 417_632, 16.0),
            (42, 535_040, 14.0),
            (61, 613_600, 14.286),
            (66, 625_280, 14.643),
            (71, 636_960, 15.0),
            (92, 754_368, 16.373),
            (203, 1_181_344, 20.647),
            (352, 1_654_176, 25.394),
            (512, 2_058_656, 31.152),
            (1799, 5_065_088, 31.447),
            (1999, 5_532_288, 31.447),
        ] {
            let step: &Step = &steps[number];
            assert_eq!(step.at, Instant::from_micros(at), "ACK of packet {number}");
            assert!(
                (step.cwnd - cwnd).abs() < 5.1e-4,
                "{} at {number}",
                step.cwnd
            );
        }
    }

    fn judged(variant: &str, diff: f64) -> (bool, f64, f64) {
        let spec = format!("variant={variant}");
        let kind = crate::params::AlgorithmKind::STARTUP;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, &spec).unwrap();
        let mut v = VegasSlowStart::new(Settings::read(&params).unwrap(), Convention::RFC);
        let mut w = Window::new(1460);
        w.cwnd = 24.0;
        v.inc_flag = false;
        let round = Round {
            diff: Some(diff),
            target: 22.0,
            old_cwnd: 24.0,
        };
        (v.end_round(&mut w, round), w.cwnd, w.ssthresh)
    }

    #[test]
    fn one_segment_in_the_queue_is_not_too_many() {
        let on = (false, 24.0, f64::INFINITY);
        assert_eq!(judged("ns2", 1.0), on);
        assert_eq!(judged("ns2", 2.0), (true, 21.0, 2.0));
        assert_eq!(judged("paper", 1.143), (true, 24.0, 2.0));
        assert_eq!(judged("linux", 1.0), on);
        assert_eq!(judged("linux", 1.5), (true, 23.0, 2.0));
    }

    #[test]
    fn linux_doubles_every_round() {
        let path = Bottleneck {
            transmission: Duration::from_micros(12),
            rtt: Duration::from_millis(100),
        };
        let steps = path.run(
            "vegas-slow-start",
            "vegas",
            Convention::LINUX,
            70,
            |_, _| {},
        );
        // Ten segments in the first round: twenty after it, forty after the second.
        assert_eq!((steps[9].cwnd, steps[29].cwnd), (20.0, 40.0));
    }
}
