//! One start-up and one avoidance make a controller; this file is the hand-over.
//!
//! The start-up is in charge until it says that its work is done or the window reaches
//! the threshold; then the avoidance is. After a timeout the window is below the
//! threshold again and the start-up's growth rule applies once more. How the window
//! shrinks on loss is the avoidance's rule, unless the start-up answers for itself.

use crate::avoidance::Avoidance;
use crate::signals::{Ack, Established, Idle, Loss, Recovered, Sent, Timeout};
use crate::startup::{LossResponse, Startup};
use crate::{Segments, Time, Window};

/// Why a start-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A round's ACK train grew as long as the path (HyStart).
    AckTrain,
    /// Round-trip times rose.
    Delay,
    /// A loss was found.
    Loss,
    /// The retransmission timer expired.
    Timeout,
    /// The window reached the threshold.
    Ssthresh,
    /// The first acknowledgement of data arrived (Jump Start).
    FirstAck,
    /// Everything that was to be sent at start had been sent (Jump Start).
    AllSent,
    /// An estimate of the path was ready.
    Estimate,
    /// A router answered.
    Router,
    /// Delivery stopped growing (BBR).
    FullPipe,
    /// A congestion mark arrived.
    Ecn,
}

/// The record of leaving start-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// Why.
    pub reason: Reason,
    /// When the sender knew.
    pub at: Time,
    /// The window just before the change.
    pub cwnd: Segments,
    /// Bytes in flight at that moment.
    pub flight: u64,
}

/// A start-up and an avoidance working on one window.
pub struct Controller {
    startup: Box<dyn Startup>,
    avoidance: Box<dyn Avoidance>,
    in_avoidance: bool,
    exit: Option<Exit>,
}

impl Controller {
    /// Composes the two. See [`crate::catalog::controller`] for making them by name.
    pub fn new(startup: Box<dyn Startup>, avoidance: Box<dyn Avoidance>) -> Controller {
        Controller {
            startup,
            avoidance,
            in_avoidance: false,
            exit: None,
        }
    }

    /// How the start-up ended; `None` while it lasts.
    pub fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }

    /// The handshake is complete: sets the first window.
    pub fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.startup.on_established(w, e);
    }

    /// A data segment has left.
    pub fn on_sent(&mut self, w: &mut Window, s: &Sent) {
        let before = w.cwnd;
        if let Some(reason) = self.startup.on_sent(w, s) {
            self.record(reason, s.now, before, s.flight);
        }
    }

    /// An ACK outside recovery: the window may grow.
    pub fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if !self.startup.in_charge(w) {
            self.enter_avoidance(w, a.now, w.cwnd, a.flight);
            return self.avoidance.on_ack(w, a);
        }
        self.in_avoidance = false;
        let before = w.cwnd;
        if let Some(reason) = self.startup.on_ack(w, a) {
            self.record(reason, a.now, before, a.flight);
        }
        if !self.startup.in_charge(w) {
            self.enter_avoidance(w, a.now, before, a.flight);
            let rest = self.startup.leftover();
            if rest > 0 {
                let acked = Ack {
                    acked: rest,
                    delivered: rest,
                    ..*a
                };
                self.avoidance.on_ack(w, &acked);
            }
        }
    }

    /// An ACK during recovery: measured, but no growth.
    pub fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.startup.on_recovery_ack(w, a);
        self.avoidance.on_recovery_ack(w, a);
    }

    /// Loss was found: the window shrinks, once per window of data.
    pub fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.record(Reason::Loss, l.now, w.cwnd, l.flight);
        if self.startup.on_loss(w, l) == LossResponse::Standard {
            self.avoidance.on_loss(w, l);
        }
        self.in_avoidance = true;
    }

    /// Everything outstanding at the loss is acknowledged.
    pub fn on_recovered(&mut self, w: &mut Window, r: &Recovered) {
        self.startup.on_recovered(w, r);
        self.avoidance.on_recovered(w, r);
    }

    /// The retransmission timer expired: back to one segment.
    pub fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.record(Reason::Timeout, t.now, w.cwnd, t.flight);
        self.startup.on_timeout(w, t);
        self.avoidance.on_timeout(w, t);
        self.in_avoidance = false;
    }

    /// Sending resumes after a long idle time.
    pub fn on_idle(&mut self, w: &mut Window, i: &Idle) {
        w.cwnd = w.cwnd.min(i.restart_window);
        w.pacing = None;
        self.avoidance.on_idle(w, i);
    }

    fn enter_avoidance(&mut self, w: &mut Window, now: Time, before: Segments, flight: u64) {
        if !self.in_avoidance {
            self.record(Reason::Ssthresh, now, before, flight);
            self.avoidance.on_start(w, now);
            self.in_avoidance = true;
        }
    }

    fn record(&mut self, reason: Reason, at: Time, cwnd: Segments, flight: u64) {
        self.exit.get_or_insert(Exit {
            reason,
            at,
            cwnd,
            flight,
        });
    }
}
