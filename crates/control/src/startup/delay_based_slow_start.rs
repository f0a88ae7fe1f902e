//! Delay-based slow start: growth turns linear when queueing delay is felt.
//!
//! PathInfo only from the summary that S. Ha and I. Rhee give in "Hybrid Slow Start for
//! High-Bandwidth and Long-Distance Networks" (PFLDnet 2008, reference 9), probably of D.
//! Leith, R. Shorten and others, "Delay-based AIMD congestion control" (PFLDnet 2007).
//! Limited slow start bounds the last leap of slow start by a constant, which is too small
//! for fast paths and too large for slow ones. This variant lets the path choose it: when the
//! round-trip time exceeds its minimum by `tau0`, the current window becomes `max_ssthresh`
//! of limited slow start. Doubling builds a passing queue of half a window, so that is at
//! about `2 * rate * tau0`; from there half of it is added per round, and a path takes about
//! `RTT/tau0` rounds to fill.
//!
//! The rule beyond that summary is a reconstruction.
//!
//! # State
//!
//! The minimum RTT; consecutive samples above it; `max_ssthresh` once it is armed.
//!
//! # Contested
//!
//! - `tau0` is not known. 20 ms is the default of the FreeBSD controller of the same group.
//! - One sample may be a delayed ACK, so two consecutive ones are required.
//! - It arms once, until a loss or a timeout; the threshold is left alone.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::signals::Ack;
use crate::slow_start::SlowStart;
use crate::{Duration, Reason, Segments, Window, params, with_slow_start};

/// Entry of `delay-based-slow-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "delay-based-slow-start",
    title: "Delay-based slow start",
    source: "Ha, Rhee: Hybrid Slow Start, PFLDnet 2008, reference 9 (a summary; the rest is a \
             reconstruction); RFC 3742 §2 for the growth",
    year: 2007,
    opened: "one sentence of the HyStart paper",
    compared: "when it arms, growth after that",
    summary: "Slow start that turns into limited slow start when the queueing delay exceeds tau0.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(DelayBased::new(Settings::read(params)?))),
};

params! {
    pub struct Settings {
        /// the queueing delay that makes growth linear
        tau0: Duration = "20ms",
        /// number of consecutive round-trip times that must show that delay
        #[within(1..=1_000_000)]
        samples: u32 = "2",
    }
}

/// State of Delay-based slow start on one connection.
#[derive(Clone)]
struct DelayBased {
    settings: Settings,
    rtt_min: Duration,
    /// Consecutive samples with too much delay.
    late: u32,
    /// Window above which growth is linear; infinite until a delay is found.
    max_ssthresh: Segments,
}

impl DelayBased {
    fn new(settings: Settings) -> DelayBased {
        DelayBased {
            settings,
            rtt_min: Duration::MAX,
            late: 0,
            max_ssthresh: f64::INFINITY,
        }
    }

    fn watch(&mut self, w: &Window, rtt: Duration) {
        self.rtt_min = self.rtt_min.min(rtt);
        let late = rtt.saturating_sub(self.rtt_min) > self.settings.tau0;
        self.late = if late { self.late.saturating_add(1) } else { 0 };
        if self.late >= self.settings.samples && self.max_ssthresh == f64::INFINITY {
            self.max_ssthresh = w.cwnd;
        }
    }
}

impl Startup for DelayBased {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if let Some(rtt) = a.rtt {
            self.watch(w, rtt);
        }
        if w.cwnd <= self.max_ssthresh {
            slow_start.grow(w, a);
        } else {
            // RFC 3742 §2, without its rounding to bytes.
            let k = (w.cwnd / (0.5 * self.max_ssthresh)).floor();
            slow_start.grow_by(w, a, 1.0 / k);
        }
        None
    }

    fn on_congestion(&mut self, _w: &mut Window, _c: &Congestion) -> Response {
        self.late = 0;
        self.max_ssthresh = f64::INFINITY;
        Response::STANDARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::signals::{Loss, Timeout};
    use crate::testing::{Bottleneck, slow_start};
    use crate::{Convention, Instant, catalog};

    fn algorithm(spec: &str) -> (DelayBased, Window) {
        let kind = crate::params::AlgorithmKind::STARTUP;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec).unwrap();
        let mut w = Window::new(1460);
        w.cwnd = 64.0;
        let mut d = DelayBased::new(Settings::read(&params).unwrap());
        d.rtt_min = Duration::from_millis(100);
        (d, w)
    }

    fn ack(d: &mut DelayBased, w: &mut Window, rtt: u64) {
        let ack = Ack {
            rtt: Some(Duration::from_millis(rtt)),
            ..Ack::of(Instant::ZERO, 1460)
        };
        d.on_ack(w, &ack, &mut slow_start());
    }

    #[test]
    fn two_late_samples_in_a_row_arm_it() {
        let armed_after = |spec: &str, rtts: &[u64]| {
            let (mut d, mut w) = algorithm(spec);
            rtts.iter().for_each(|rtt| ack(&mut d, &mut w, *rtt));
            d.max_ssthresh
        };
        assert_eq!(armed_after("", &[119, 119, 120]), f64::INFINITY);
        assert_eq!(armed_after("", &[121, 119, 121]), f64::INFINITY);
        assert_eq!(armed_after("", &[121, 121, 121]), 65.0);
        assert_eq!(armed_after("samples=1", &[121, 121]), 64.0);
        assert_eq!(armed_after("tau0=30ms", &[121, 121]), f64::INFINITY);
    }

    /// One round of 64 ACKs: 64 to 65, sixty-two halves, and a third.
    #[test]
    fn growth_turns_linear() {
        let (mut d, mut w) = algorithm("samples=1");
        ack(&mut d, &mut w, 121);
        assert_eq!((w.cwnd, d.max_ssthresh), (65.0, 64.0));
        ack(&mut d, &mut w, 121);
        assert_eq!(w.cwnd, 65.5);
        (0..61).for_each(|_| ack(&mut d, &mut w, 121));
        assert_eq!(w.cwnd, 96.0);
        ack(&mut d, &mut w, 121);
        assert_eq!(w.cwnd, 96.0 + 1.0 / 3.0);
    }

    #[test]
    fn a_loss_or_a_timeout_disarms_it() {
        let (mut d, mut w) = algorithm("samples=1");
        ack(&mut d, &mut w, 121);
        let loss = Loss {
            now: Instant::ZERO,
            flight: 0,
            usable: 64.0,
        };
        d.on_congestion(&mut w, &Congestion::Loss(loss));
        assert_eq!(d.max_ssthresh, f64::INFINITY);
        ack(&mut d, &mut w, 121);
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 0,
            usable: 64.0,
            repeated: false,
        };
        d.on_congestion(&mut w, &Congestion::Timeout(timeout));
        assert_eq!(d.max_ssthresh, f64::INFINITY);
    }

    /// 10 Mbit/s, 100 ms: the passing queue of doubling is 20 ms long where 34 segments or more
    /// make up a flight. That is the flight of 64, in its second half, each ACK of which has
    /// added one.
    #[test]
    fn it_arms_at_twice_the_rate_times_tau0() {
        let path = Bottleneck {
            transmission: Duration::from_micros(1_200),
            rtt: Duration::from_millis(100),
        };
        let spec = "delay-based-slow-start:iw=1";
        let steps = path.run(spec, "reno", Convention::RFC, 300, |_, _| {});
        let plain = path.run("slow-start:iw=1", "reno", Convention::RFC, 300, |_, _| {});
        let differ = steps.iter().zip(&plain).find(|(a, b)| a.cwnd != b.cwnd);
        let armed = differ.unwrap().0.cwnd;
        assert!((64.0 + 33.0..64.0 + 37.0).contains(&armed), "{armed}");
    }

    #[test]
    fn no_sample_shows_nothing() {
        let error =
            catalog::controller("delay-based-slow-start:samples=0", "reno", Convention::RFC);
        assert_eq!(
            error.err().unwrap().to_string(),
            "startup `delay-based-slow-start`: parameter `samples`: `0` is not a whole number \
             from 1 to 1000000"
        );
    }
}
