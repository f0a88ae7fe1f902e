//! Resume: an exit that the packets in flight refute is taken back.
//!
//! This project's own, after the doubt of [Gauge](super::gauge): an option of the startups that end by
//! delay, by the ACK train or by missing deliveries. Such an exit is a hypothesis: the pipe is full.
//! Over radio, jitter and a varying rate cause the same signs at a third of the bandwidth-delay
//! product, and the congestion control then needs seconds for the rest.
//!
//! The packets in flight test the hypothesis. In slow start they left twice as fast as those before
//! them were delivered. So the window stays until all of them are acknowledged, one round trip
//! later. Two signs together refute the exit:
//!
//! - *More is delivered than at the exit.* The largest rate, times [`FULL`], exceeds the largest of
//!   the two round trips up to the exit. A full pipe delivers no more than before.
//! - *What was sent is delivered.* The largest rate delivered exceeds [`FULL`] times the largest rate
//!   at which the same packets were sent. The first sign alone also appears where the pipe was half
//!   full at the exit and this window fills it, which is what the ACK train predicts.
//!
//! Then the startup begins anew at this window. Otherwise the exit is final, and reported with its
//! reason; the window is what the startup left at the exit. A drain or a roll-back begins only then.
//! A loss, a mark or a timeout during the test is handled by the startup, and is final.
//!
//! # Rules that were measured and rejected
//!
//! - *The first sign alone*: 10 MB over radio are up to 15 % faster, with five times the losses.
//! - *Both, and the delay has gone*: safe among 200 flows, but delay variations outlast one
//!   round trip, so exits over satellites stay final.
//! - *Decide at the first sample*: it saves a round trip, but early samples are from before the
//!   queue, and `fibre` has losses that it does not have without resume.
//! - *The second sign alone*: an exit that repeats at the same window is refuted each time, and the
//!   window does not grow.
//!
//! Conservative slow start grows by a quarter per round trip. Its packets in flight show at most
//! 1.25 times the rate, and refute an exit only if nearly all of that is delivered. HyStart++ has
//! tested its exit for five round trips by then, and seldom exits early.

use super::{Assisted, Columns, Congestion, Maker, Repaired, Response, Startup, copies};
use crate::model::Model;
use crate::model::rounds::Rounds;
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Delivery, Established, Idle, RateSample, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Rate, Reason, Segments, Window, params};

params! {
    pub struct ResumeSettings {
        /// whether the packets in flight test an exit without loss: growth resumes if they are
        /// delivered as fast as they were sent, and faster than before
        resume: bool = "false",
    }
}

/// Returns what makes copies of this startup, with its exits tested where `resume` requests it.
pub(super) fn maker<S>(startup: S, params: &Params) -> Result<Box<Maker>, SpecError>
where
    S: Startup + Clone + Sync + 'static,
{
    Ok(match ResumeSettings::read(params)?.resume {
        true => copies(Resuming::new(startup)),
        false => copies(startup),
    })
}

/// A rate exceeds another if this share of it does: Gauge's `full`, chosen, not fitted.
const FULL: f64 = 0.85;

/// Largest rates of some samples.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    delivered: Rate,
    /// At which what the samples cover was sent.
    sent: Rate,
}

impl Rates {
    fn take(&mut self, sample: &RateSample) {
        self.delivered = self.delivered.max(sample.rate());
        self.sent = self.sent.max(sample.sent_rate());
    }
}

/// An exit that is being tested.
#[derive(Clone, Copy, Debug)]
struct Doubt {
    reason: Reason,
    /// Window and threshold that the startup has left.
    left: (Segments, Segments),
    /// One past the last byte that was in flight.
    until: u64,
    /// The rate delivered at the exit.
    before: Rate,
    since: Rates,
}

impl Doubt {
    fn is_refuted(&self) -> bool {
        let Rates { delivered, sent } = self.since;
        self.before < delivered.scaled(FULL) && sent.scaled(FULL) < delivered
    }
}

/// A startup whose exits are tested.
#[derive(Clone)]
struct Resuming<S> {
    startup: S,
    /// As it was when the connection opened.
    anew: S,
    clock: Rounds,
    /// Of the last round trip and this one.
    rounds: [Rates; 2],
    doubt: Option<Doubt>,
}

impl<S: Startup + Clone> Resuming<S> {
    fn new(startup: S) -> Resuming<S> {
        Resuming {
            anew: startup.clone(),
            startup,
            clock: Rounds::default(),
            rounds: [Rates::default(); 2],
            doubt: None,
        }
    }

    fn measure(&mut self, d: &Delivery) {
        self.clock.take(d);
        if self.clock.start {
            self.rounds = [self.rounds[1], Rates::default()];
        }
        if let Some(sample) = &d.sample {
            self.rounds[1].take(sample);
            if let Some(doubt) = &mut self.doubt {
                doubt.since.take(sample);
            }
        }
    }

    /// The packets in flight at the exit are acknowledged.
    fn decide(
        &mut self,
        w: &mut Window,
        a: &Ack,
        slow_start: &mut SlowStart,
        doubt: Doubt,
    ) -> Option<Reason> {
        self.doubt = None;
        if doubt.is_refuted() {
            self.startup = self.anew.clone();
            return None;
        }
        (w.cwnd, w.ssthresh) = doubt.left;
        match w.in_slow_start() {
            true => slow_start.set_unused_acked(0),
            false => slow_start.leave_unused(a),
        }
        Some(doubt.reason)
    }
}

impl<S: Startup + Clone> Startup for Resuming<S> {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.startup.on_established(w, e);
        self.anew = self.startup.clone();
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if let Some(d) = &a.delivery {
            self.measure(d);
        }
        match self.doubt {
            Some(doubt) if a.una >= doubt.until => return self.decide(w, a, slow_start, doubt),
            Some(_) => return None,
            None => {}
        }
        let before = (w.cwnd, w.ssthresh);
        let reason = self.startup.on_ack(w, a, slow_start)?;
        self.doubt = Some(Doubt {
            reason,
            left: (w.cwnd, w.ssthresh),
            until: a.nxt,
            before: self.rounds[0].delivered.max(self.rounds[1].delivered),
            since: Rates::default(),
        });
        (w.cwnd, w.ssthresh) = before;
        None
    }

    /// During a test too, it is the startup's own. After a spurious loss it looks for an exit again.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if self.doubt.take().is_some() {
            self.startup = self.anew.clone();
        }
        self.startup.on_congestion(w, c)
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.doubt.is_some() || self.startup.in_charge(w)
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.startup.on_sent(w, s)
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.startup.on_recovery_ack(w, a);
    }

    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        self.startup.on_recovered(w, r)
    }

    fn on_spurious(&mut self, w: &mut Window) -> bool {
        self.startup.on_spurious(w)
    }

    fn on_idle(&mut self, w: &mut Window, before: &Window, i: &Idle) -> bool {
        self.startup.on_idle(w, before, i)
    }

    fn owns_cwnd(&self) -> bool {
        self.startup.owns_cwnd()
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        self.startup.export_model()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        self.startup.assisted()
    }

    fn columns(&self) -> Option<&dyn Columns> {
        self.startup.columns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avoidance::reno;
    use crate::params::AlgorithmKind;
    use crate::signals::{Loss, Timeout};
    use crate::testing::slow_start;
    use crate::{Controller, Convention, Duration, Instant, catalog};

    const MSS: u64 = 1000;
    /// Packets in flight.
    const FLIGHT: u64 = 10;

    /// Slow start that leaves with its fifth ACK, with this share of the window.
    #[derive(Clone)]
    struct Fifth {
        acks: u32,
        share: f64,
    }

    impl Startup for Fifth {
        fn on_ack(&mut self, w: &mut Window, a: &Ack, ss: &mut SlowStart) -> Option<Reason> {
            self.acks += 1;
            if self.acks != 5 {
                ss.grow(w, a);
                return None;
            }
            w.cwnd *= self.share;
            w.ssthresh = w.cwnd;
            Some(Reason::Delay)
        }

        fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
            if c.is_timeout() {
                self.acks = 0;
            }
            Response::STANDARD
        }
    }

    struct Flow {
        c: Controller,
        w: Window,
        arrived: u64,
    }

    impl Flow {
        /// One that has left, after five ACKs at 10 Mbit/s.
        fn left_with(share: f64) -> Flow {
            let startup = Resuming::new(Fifth { acks: 0, share });
            let entry = &reno::ENTRY;
            let params = Params::parse(AlgorithmKind::AVOIDANCE, entry.name, entry.params, "");
            let avoidance = (entry.build)(&params.unwrap(), Convention::RFC).unwrap()();
            let c = Controller::new(Box::new(startup), slow_start(), avoidance);
            let mut w = Window::new(MSS as u32);
            w.cwnd = FLIGHT as f64;
            let mut flow = Flow { c, w, arrived: 0 };
            flow.acks(5, 10, 10);
            flow
        }

        fn left() -> Flow {
            Flow::left_with(1.0)
        }

        /// So many ACKs, with so many Mbit/s delivered of those sent. Returns the reason of the exit.
        fn acks(&mut self, count: u64, delivered: u64, sent: u64) -> Option<Reason> {
            for _ in 0..count {
                self.arrived += 1;
                let total = self.arrived * MSS;
                let interval = Duration::from_millis(100);
                let sample = RateSample {
                    prior_delivered: total.saturating_sub(FLIGHT * MSS),
                    delivered: delivered * 12_500,
                    interval,
                    send_interval: interval.times(delivered).over(sent),
                    ack_interval: interval,
                    ..RateSample::default()
                };
                let delivery = Delivery {
                    total,
                    newly: MSS,
                    sample: Some(sample),
                    ..Delivery::default()
                };
                let ack = Ack {
                    una: total,
                    nxt: total + FLIGHT * MSS,
                    delivery: Some(delivery),
                    ..Ack::of(Instant::from_millis(self.arrived), MSS)
                };
                self.c.on_ack(&mut self.w, &ack);
            }
            self.reason()
        }

        fn reason(&self) -> Option<Reason> {
            self.c.exit().map(|exit| exit.reason)
        }

        fn lose(&mut self) {
            let loss = Loss {
                now: Instant::ZERO,
                flight: FLIGHT * MSS,
                usable: self.w.cwnd,
            };
            self.c.on_loss(&mut self.w, &loss);
        }
    }

    #[test]
    fn the_window_stays_until_the_packets_in_flight_are_acknowledged() {
        let mut flow = Flow::left();
        assert_eq!((flow.reason(), flow.w.cwnd), (None, 14.0));
        assert_eq!((flow.acks(FLIGHT - 1, 20, 20), flow.w.cwnd), (None, 14.0));
        assert_eq!(flow.w.ssthresh, f64::INFINITY);
    }

    #[test]
    fn growth_resumes_where_more_is_delivered_and_all_that_was_sent() {
        let mut flow = Flow::left();
        assert_eq!(flow.acks(FLIGHT, 20, 20), None);
        assert_eq!((flow.acks(4, 20, 20), flow.w.cwnd), (None, 18.0));
    }

    #[test]
    fn an_exit_is_final_and_reported_where_no_more_is_delivered() {
        let mut flow = Flow::left();
        assert_eq!(flow.acks(FLIGHT, 11, 11), Some(Reason::Delay));
        let exit = *flow.c.exit().unwrap();
        assert_eq!((exit.cwnd, exit.at), (14.0, Instant::from_millis(15)));
        assert_eq!((flow.w.cwnd, flow.w.ssthresh), (14.0, 14.0));
    }

    #[test]
    fn an_exit_is_final_where_less_is_delivered_than_was_sent() {
        let mut flow = Flow::left();
        assert_eq!(flow.acks(FLIGHT, 16, 20), Some(Reason::Delay));
    }

    #[test]
    fn a_resumed_startup_leaves_again() {
        let mut flow = Flow::left();
        assert_eq!(flow.acks(FLIGHT + 5, 20, 20), None);
        assert_eq!(flow.acks(FLIGHT, 20, 20), Some(Reason::Delay));
        assert_eq!(flow.w.cwnd, 18.0);
    }

    #[test]
    fn a_window_that_the_exit_reduces_is_reduced_when_the_exit_is_final() {
        let mut flow = Flow::left_with(0.5);
        assert_eq!((flow.acks(FLIGHT - 1, 10, 10), flow.w.cwnd), (None, 14.0));
        assert_eq!(
            (flow.acks(1, 10, 10), flow.w.cwnd),
            (Some(Reason::Delay), 7.0)
        );
    }

    #[test]
    fn a_loss_during_the_test_is_final() {
        let mut flow = Flow::left();
        flow.lose();
        assert_eq!(flow.reason(), Some(Reason::Loss));
        let reduced = flow.w.cwnd;
        assert_eq!(flow.acks(FLIGHT, 20, 20), Some(Reason::Loss));
        assert!(flow.w.cwnd - reduced < 1.5, "{:?}", flow.w);
    }

    #[test]
    fn after_a_spurious_loss_the_startup_looks_for_an_exit_again() {
        let mut flow = Flow::left();
        let before = flow.w;
        flow.lose();
        flow.w = before;
        flow.c.on_spurious(&mut flow.w);
        flow.acks(5, 10, 10);
        assert_eq!(flow.acks(FLIGHT, 10, 10), Some(Reason::Delay));
    }

    #[test]
    fn a_timeout_during_the_test_is_final() {
        let mut flow = Flow::left();
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: FLIGHT * MSS,
            usable: 14.0,
            repeated: false,
        };
        flow.c.on_timeout(&mut flow.w, &timeout);
        assert_eq!((flow.reason(), flow.w.cwnd), (Some(Reason::Timeout), 1.0));
    }

    #[test]
    fn only_a_startup_that_resumes_needs_deliveries() {
        for startup in ["hystart", "hystart-plus-plus", "search:variant=neqo"] {
            let separator = if startup.contains(':') { ',' } else { ':' };
            let wants = |resume: bool| {
                let spec = format!("{startup}{separator}resume={resume}");
                let c = catalog::controller(&spec, "reno", Convention::RFC).unwrap();
                c.wants_delivery()
            };
            assert_eq!((wants(false), wants(true)), (false, true), "{startup}");
        }
    }
}
