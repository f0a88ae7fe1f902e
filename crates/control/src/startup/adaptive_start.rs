//! Adaptive start: raise the threshold as long as the measured rate shows room.
//!
//! R. Wang, G. Pau, K. Yamada, M. Sanadidi, M. Gerla, "TCP Startup Performance in Large
//! Bandwidth Delay Networks", INFOCOM 2004: the startup of TCP Westwood, "Astart". A sender
//! can see from its ACKs at which rate its data arrives. Westwood filters that into an
//! *eligible rate estimate*, ERE, and adaptive start resets the slow-start threshold to
//! `ERE * RTTmin`, the window that this rate fills, whenever that is above it. The window
//! then doubles as long as the rate keeps up, and creeps linearly where it does not, until
//! the first loss.
//!
//! The estimate is sampled over an interval `T` that adapts: as short as the time between two
//! ACKs where the path is empty, up to a round-trip time where the rate falls behind the
//! window (*S*, "Adaptive Bandwidth Share Estimation", 2002). Its filter is the slower the
//! more the samples vary: its time constant grows with `U`, their variation, against `Umax`, the
//! largest that there was.
//!
//! # State
//!
//! `RTTmin`, `ERE`, the last sample, the variation `U` and the largest of it, for which the last
//! ten may count; of the ACKs of the last round trip, when they came and what had been delivered.
//!
//! # Contested
//!
//! - The first threshold decides everything, and the paper's is not known. 22 segments are 32
//!   kB. Linux has none, so there the rule, which only raises it, does nothing: adaptive
//!   start is slow start there, just as measurements on Linux found.
//! - One account resets the threshold when the estimate exceeds the *window*; here it is the
//!   threshold that it must exceed, and it never falls.
//! - Past the first threshold the window must outrun the estimate to grow fast again, and it
//!   grows by one segment a round trip there. On a path that is much wider than the first
//!   threshold this is close to no startup: the estimate of a flow that leaves most of
//!   the path idle is its own rate. The available rules have nothing else.
//! - The papers' text was not at hand; a public port to ns-3 was, and its errors are not
//!   followed: it forgets `RTTmin`, lowers the threshold, and lets flows share `U`.
//! - What is said of `Umax` reads as the largest of the last ten samples' (`u_max=last-ten`); the
//!   port takes the largest ever. `U` is a moving average itself, so among ten consecutive ACKs it
//!   is nearly the largest whatever its level, and the filter is slowest, eleven round trips, just
//!   where samples hardly vary: over 20 Mbit/s x 100 ms the estimate is 38 segments when slow
//!   start loses at 667, and 135 by the largest ever, of 166 that the path holds.
//! - The avoidance responds to losses and timeouts. With Westwood that is by an estimate.
//!   `response=estimate` has adaptive start set the window for the first loss; the avoidance takes
//!   that for the window at which the loss came, as CUBIC needs it.

use std::collections::VecDeque;

use super::{Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::signals::{Ack, Established, Recovered};
use crate::slow_start::{self, SlowStart};
use crate::{Convention, Duration, Family, Instant, Reason, Segments, Window, joined, params};

/// Entry of `adaptive-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "adaptive-start",
    title: "Adaptive start (Astart)",
    source: "Wang, Pau, Yamada, Sanadidi, Gerla: TCP Startup Performance in Large Bandwidth \
             Delay Networks, INFOCOM 2004",
    year: 2004,
    opened: "code: a public port to ns-3, whose errors are not followed; the description in a paper",
    compared: "estimate, threshold, growth",
    summary: "Slow start whose threshold follows the eligible rate estimate upwards until the \
              first loss.",
    params: joined![
        Settings::PARAMS,
        &[
            slow_start::Settings::growth.spec,
            slow_start::Settings::limit.spec,
            slow_start::Settings::iw.spec,
            slow_start::Settings::growth_gate.spec
        ]
    ],
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, convention| {
        Ok(copies(AdaptiveStart::new(
            Settings::read(params)?,
            convention,
        )))
    },
};

params! {
    pub struct Settings {
        /// the threshold at first, which the estimate only raises; unlimited makes it slow start
        #[usual("by stack: unlimited under linux, otherwise 22")]
        ssthresh: Option<Segments>,
        /// which variation the filter sets the present one against: the largest of all, or of the
        /// last ten samples
        u_max: UMax = "ever",
        /// what the loss that ends it leaves: what the avoidance leaves, or the estimate times
        /// RTTmin as Westwood does
        response: LossRule = "standard",
    }

    pub enum UMax { Ever = "ever", LastTen = "last-ten" }
    pub enum LossRule { Standard = "standard", Estimate = "estimate" }
}

/// Number of samples whose variation is kept.
const HISTORY: usize = 10;

/// `Umax`, which the variation of the samples is set against.
#[derive(Clone)]
enum Largest {
    Ever(f64),
    LastTen { kept: [f64; HISTORY], next: usize },
}

impl Largest {
    fn add(&mut self, variation: f64) {
        match self {
            Largest::Ever(most) => *most = most.max(variation),
            Largest::LastTen { kept, next } => {
                kept[*next] = variation;
                *next = (*next + 1) % HISTORY;
            }
        }
    }

    /// One where nothing has varied yet.
    fn value(&self) -> f64 {
        let most = match self {
            Largest::Ever(most) => *most,
            Largest::LastTen { kept, .. } => kept.iter().copied().fold(0.0, f64::max),
        };
        if most == 0.0 { 1.0 } else { most }
    }
}

/// Eligible rate estimate: a filtered sample of the delivery rate.
#[derive(Clone)]
struct EligibleRate {
    rtt_min: Duration,
    rtt: Duration,
    /// When ACKs came and what had been delivered then, of the last round trip and the last
    /// one before it.
    log: VecDeque<(Instant, u64)>,
    /// The last sample, `S`, in bytes per second like all rates here.
    sample: Option<f64>,
    variation: f64,
    largest: Largest,
    ere: f64,
}

impl EligibleRate {
    fn new(largest: Largest) -> EligibleRate {
        EligibleRate {
            rtt_min: Duration::MAX,
            rtt: Duration::ZERO,
            log: VecDeque::new(),
            sample: None,
            variation: 0.0,
            largest,
            ere: 0.0,
        }
    }

    /// Bytes per second over the last `span`.
    fn rate(&self, span: Duration) -> f64 {
        let Some((now, total)) = self.log.back() else {
            return 0.0;
        };
        let from = now.saturating_sub(span);
        let after = self.log.partition_point(|(at, _)| *at <= from);
        let before = self.log.get(after.saturating_sub(1));
        let before = before.map_or(*total, |(_, total)| *total);
        (total - before) as f64 / span.secs()
    }

    /// The interval to sample over: from one ACK to a whole round trip, as the rate `re` falls
    /// behind `ve`, which the window would have on an empty path.
    fn interval(&self, ve: f64, re: f64, dt: Duration) -> Duration {
        let share = ((ve - re) / ve).clamp(0.0, 1.0);
        let t = Duration::from_secs_f64(self.rtt.secs() * share);
        t.min(self.rtt).max(dt)
    }

    /// The filter's time constant, in seconds.
    fn tau(&self) -> f64 {
        self.rtt.secs() * (1.0 + 10.0 * self.variation / self.largest.value())
    }

    fn on_ack(&mut self, w: &Window, a: &Ack) {
        if let Some(rtt) = a.rtt.filter(|rtt| *rtt > Duration::ZERO) {
            self.rtt = rtt;
            self.rtt_min = self.rtt_min.min(rtt);
        }
        let last = self.log.back().map_or(a.now, |(at, _)| *at);
        let dt = a.now.since(last);
        match self.log.back_mut() {
            // ACKs of one instant are one.
            Some((_, total)) if dt == Duration::ZERO => *total = a.delivered_total.max(*total),
            Some((_, total)) => {
                let total = a.delivered_total.max(*total);
                self.log.push_back((a.now, total));
            }
            None => self.log.push_back((a.now, a.delivered_total)),
        }
        if dt == Duration::ZERO || self.rtt == Duration::ZERO {
            return;
        }
        // What an interval can still reach back to, and one entry before it.
        let reach = a.now.saturating_sub(self.rtt.max(dt));
        while self.log.get(1).is_some_and(|(at, _)| *at <= reach) {
            self.log.pop_front();
        }
        // A fraction of a segment is not sent, and is no rate that ACKs could keep up with.
        let whole = w.cwnd_segments() * u64::from(w.mss);
        let window = whole.min(a.peer_window);
        let ve = window as f64 / self.rtt_min.secs();
        let t = self.interval(ve, self.rate(self.rtt), dt);
        let sample = self.rate(t);
        self.filter(sample, dt);
    }

    fn filter(&mut self, sample: f64, dt: Duration) {
        let last = self.sample.replace(sample);
        let change = sample - last.unwrap_or(0.0);
        let change = if change < 0.0 { -change } else { change };
        self.variation = 0.6 * self.variation + 0.4 * change;
        self.largest.add(self.variation);
        let a = gain(self.tau(), dt.secs());
        self.ere = match last {
            None => sample,
            Some(_) => a * self.ere + (1.0 - a) * sample,
        };
    }

    /// The window that the estimated rate fills, in segments.
    fn window(&self, w: &Window) -> Segments {
        if self.rtt_min == Duration::MAX {
            return 0.0;
        }
        self.ere * self.rtt_min.secs() / f64::from(w.mss)
    }
}

/// What the filter keeps of its last value; nothing after a long silence.
fn gain(tau: f64, dt: f64) -> f64 {
    ((2.0 * tau - dt) / (2.0 * tau + dt)).max(0.0)
}

/// State of Adaptive start on one connection.
#[derive(Clone)]
struct AdaptiveStart {
    ssthresh: Segments,
    by_estimate: bool,
    rate: EligibleRate,
    left: bool,
    /// Window that it set for a loss, until that is reported to the avoidance.
    answered: Option<Segments>,
}

impl AdaptiveStart {
    fn new(settings: Settings, convention: Convention) -> AdaptiveStart {
        let by_stack = match convention.family {
            Family::Linux => f64::INFINITY,
            _ => 22.0,
        };
        AdaptiveStart {
            ssthresh: settings.ssthresh.unwrap_or(by_stack),
            by_estimate: settings.response == LossRule::Estimate,
            rate: EligibleRate::new(match settings.u_max {
                UMax::LastTen => Largest::LastTen {
                    kept: [0.0; HISTORY],
                    next: 0,
                },
                UMax::Ever => Largest::Ever(0.0),
            }),
            left: false,
            answered: None,
        }
    }

    /// What was measured serves no more.
    fn cancel(&mut self) {
        self.left = true;
        self.rate.log = VecDeque::new();
    }
}

impl Startup for AdaptiveStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.ssthresh = self.ssthresh;
        self.rate.log.push_back((e.now, 0));
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.left {
            slow_start.grow(w, a);
            return None;
        }
        self.rate.on_ack(w, a);
        w.ssthresh = w.ssthresh.max(self.rate.window(w));
        if w.in_slow_start() {
            slow_start.grow(w, a);
        } else {
            w.cwnd += slow_start.earned(w, a) / w.cwnd;
        }
        None
    }

    /// Westwood: down to the window that the estimated rate fills, no further.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let estimate = self.rate.window(w);
        let measured = !self.left && self.by_estimate && estimate != 0.0;
        self.cancel();
        if !measured || c.is_timeout() {
            return Response::STANDARD;
        }
        w.ssthresh = estimate.max(2.0);
        w.cwnd = w.cwnd.min(w.ssthresh);
        self.answered = Some(w.cwnd);
        Response::ends(Reduction::Done)
    }

    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) -> Repaired {
        self.answered.take().into()
    }

    /// Until the first loss it grows above the threshold too.
    fn in_charge(&self, w: &Window) -> bool {
        !self.left || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::signals::Loss;
    use crate::testing::{Bottleneck, slow_start};
    use crate::{Instant, catalog};

    const MSS: f64 = 1460.0;

    fn rate() -> EligibleRate {
        EligibleRate {
            rtt: Duration::from_millis(100),
            rtt_min: Duration::from_millis(100),
            ..EligibleRate::new(Largest::Ever(0.0))
        }
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn the_filter_slows_down_where_samples_vary() {
        let mut r = rate();
        near(r.tau(), 0.1, 1e-12);
        near(gain(r.tau(), 0.010), 0.904762, 5e-7);
        r.variation = 500.0;
        r.largest.add(500.0);
        near(r.tau(), 1.1, 1e-12);
        near(gain(r.tau(), 0.010), 0.990950, 5e-7);
        // After a long silence the sample alone counts.
        assert_eq!(gain(0.1, 0.3), 0.0);
    }

    /// Samples that vary by 1000, then hardly: by the largest ever the filter is as fast as
    /// among equal samples, among the last ten it is as slow as it can be.
    #[test]
    fn among_the_last_ten_a_small_variation_counts_as_much_as_a_large_one() {
        let tau_after = |largest: Largest| {
            let mut r = EligibleRate { largest, ..rate() };
            for sample in [0.0, 1_000.0].iter().cycle().take(10) {
                r.filter(*sample, Duration::from_millis(10));
            }
            for sample in [500.0, 501.0].iter().cycle().take(40) {
                r.filter(*sample, Duration::from_millis(10));
            }
            r.tau()
        };
        let kept = [0.0; HISTORY];
        near(tau_after(Largest::Ever(0.0)), 0.1, 0.002);
        near(tau_after(Largest::LastTen { kept, next: 0 }), 1.1, 0.002);
    }

    #[test]
    fn the_estimate_is_a_window() {
        let mut r = rate();
        (r.ere, r.sample) = (1_000.0 * MSS, Some(1_200.0 * MSS));
        r.filter(1_200.0 * MSS, Duration::from_millis(10));
        near(r.ere / MSS, 1_019.048, 5e-4);
        near(r.window(&Window::new(1460)), 101.9, 0.05);
    }

    #[test]
    fn the_interval_follows_congestion() {
        let r = rate();
        let dt = Duration::from_millis(1);
        assert_eq!(r.interval(1_000.0, 1_000.0, dt), dt);
        assert_eq!(r.interval(1_000.0, 500.0, dt), Duration::from_millis(50));
        assert_eq!(r.interval(1_000.0, 0.0, dt), Duration::from_millis(100));
        assert_eq!(r.interval(1_000.0, 1_200.0, dt), dt);
    }

    #[test]
    fn a_rate_is_that_of_the_acks_within_the_interval() {
        let mut r = rate();
        let (at, ms) = (Instant::from_millis, Duration::from_millis);
        r.log = [
            (at(0), 0),
            (at(100), 1_000),
            (at(110), 2_000),
            (at(120), 3_000),
        ]
        .into();
        assert_eq!(r.rate(ms(10)), 100_000.0);
        assert_eq!(r.rate(ms(20)), 100_000.0);
        assert_eq!(r.rate(ms(100)), 30_000.0);
        assert_eq!(r.rate(ms(15)), 2_000.0 / 0.015);
    }

    /// The window after an ACK, the estimate being worth so many segments.
    fn grown(estimate: f64, cwnd: f64) -> (f64, f64) {
        let kind = crate::params::AlgorithmKind::STARTUP;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, "").unwrap();
        let mut astart = AdaptiveStart::new(Settings::read(&params).unwrap(), Convention::RFC);
        let mut w = Window::new(1460);
        astart.on_established(&mut w, &Established::at(Instant::ZERO));
        w.cwnd = cwnd;
        astart.rate.rtt_min = Duration::from_millis(100);
        astart.rate.ere = estimate * 10.0 * MSS;
        // At the instant of the handshake, so that the estimate stands.
        astart.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460), &mut slow_start());
        (w.cwnd, w.ssthresh)
    }

    #[test]
    fn the_threshold_rises_with_the_estimate() {
        assert_eq!(grown(20.0, 10.0), (11.0, 22.0));
        assert_eq!(grown(30.0, 25.0), (26.0, 30.0));
        assert_eq!(grown(30.0, 30.0), (30.0 + 1.0 / 30.0, 30.0));
    }

    /// A path of a hundred segments: earlier there than from a fixed threshold, and slow after.
    #[test]
    fn it_finds_an_empty_path() {
        let path = Bottleneck {
            transmission: Duration::from_millis(1),
            rtt: Duration::from_millis(100),
        };
        let steps = path.run("adaptive-start", "reno", Convention::RFC, 3_000, |_, _| {});
        let at = |s: f64| {
            steps
                .iter()
                .take_while(|x| x.at.secs() <= s)
                .last()
                .unwrap()
        };
        assert!(at(2.8).cwnd > 90.0, "{:?}", at(2.8));
        assert!(at(3.5).cwnd < 130.0, "{:?}", at(3.5));
        let fixed = "slow-start:ssthresh=22";
        let fixed = path.run(fixed, "reno", Convention::RFC, 3_000, |_, _| {});
        let reno = fixed.iter().take_while(|x| x.at.secs() <= 2.8).last();
        assert!(reno.unwrap().cwnd < 55.0, "{reno:?}");
        let endless = path.run(
            "adaptive-start",
            "reno",
            Convention::LINUX,
            3_000,
            |_, _| {},
        );
        let plain = path.run("slow-start", "reno", Convention::LINUX, 3_000, |_, _| {});
        assert!(endless.iter().zip(&plain).all(|(a, b)| a.cwnd == b.cwnd));
    }

    #[test]
    fn asked_to_it_answers_the_loss_that_ends_it_by_its_estimate() {
        let lost = |spec: &str| {
            let mut c = catalog::controller(spec, "reno", Convention::RFC).unwrap();
            let mut w = Window::new(1460);
            c.on_established(&mut w, &Established::at(Instant::ZERO));
            w.cwnd = 40.0;
            let ack = Ack {
                rtt: Some(Duration::from_millis(100)),
                ..Ack::of(Instant::from_millis(100), 30 * 1460)
            };
            c.on_ack(&mut w, &ack);
            let before = w.cwnd;
            let loss = Loss {
                now: Instant::from_millis(100),
                flight: 20 * 1460,
                usable: 40.0,
            };
            c.on_loss(&mut w, &loss);
            (before, w.cwnd, w.ssthresh)
        };
        let (before, cwnd, ssthresh) = lost("adaptive-start:response=estimate");
        near(ssthresh, 30.0, 1e-9);
        assert_eq!(cwnd, ssthresh.min(before));
        assert_eq!(lost("adaptive-start").1, 10.0);
    }
}
