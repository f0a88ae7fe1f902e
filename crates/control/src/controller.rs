//! One startup and one avoidance make a controller; this file is the hand-over.
//!
//! The startup is in charge until it reports that it is done or the window reaches
//! the threshold; then the avoidance is. After a timeout the window is below the
//! threshold again and the startup's growth rule applies once more. How the window
//! shrinks on loss is the avoidance's rule, unless the startup sets the window itself.

use crate::avoidance::Avoidance;
use crate::exit::{Exit, Reason};
use crate::landing::{Landing, LandingRule};
use crate::raised_window::RaisedWindow;
use crate::session::limited::GrowthGate;
use crate::signals::{
    Ack, Established, Feedback, Idle, Loss, Marked, PathInfo, PeerGap, Recovered, Sent, Syn,
    Timeout,
};
use crate::slow_start::SlowStart;
use crate::startup::{Congestion, Reduction, Repaired, Response, Startup};
use crate::{Duration, Instant, Rate, Segments, Window};

/// The algorithm whose growth rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The startup. The next ACK may find that it is over.
    Startup,
    /// The avoidance, which has been started.
    Avoidance,
}

/// What sets the window in the recovery under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    /// The transport's reduction, or there is no recovery.
    Reduced,
    /// The startup.
    SelfManaged,
    /// The startup, which grows as before: the mark has changed nothing.
    Continues,
}

/// Rules in the place of others. Few flows have any.
#[derive(Default)]
struct Overrides {
    /// Where another rule than the stack's decides whether an unused window grows.
    growth_gate: Option<Box<GrowthGate>>,
    /// Where another rule than the startup's and the avoidance's sets the window at the exit.
    landing: Option<Box<Landing>>,
    /// Where the avoidance counts what lets the startup's window grow.
    startup_credit: bool,
    /// Where the stack raises the window besides.
    raised: Option<RaisedWindow>,
}

impl Overrides {
    fn any(&self) -> bool {
        self.growth_gate.is_some()
            || self.landing.is_some()
            || self.startup_credit
            || self.raised.is_some()
    }
}

/// A startup and an avoidance working on one window.
pub struct Controller {
    startup: Box<dyn Startup>,
    slow_start: SlowStart,
    avoidance: Box<dyn Avoidance>,
    /// Rules in the place of those of the stack, the startup or the avoidance.
    overrides: Option<Box<Overrides>>,
    phase: Phase,
    recovery: Recovery,
    exit: Option<Box<Exit>>,
    /// The loss that ended the startup was none.
    exit_undone: bool,
}

impl Controller {
    /// Composes them. See [`crate::catalog::controller`] for making them by name.
    pub fn new(
        startup: Box<dyn Startup>,
        slow_start: SlowStart,
        avoidance: Box<dyn Avoidance>,
    ) -> Controller {
        let overrides = Overrides {
            growth_gate: slow_start
                .growth_gate()
                .map(|rule| Box::new(GrowthGate::of(rule))),
            landing: None,
            startup_credit: avoidance.counts_for_startup(),
            raised: RaisedWindow::of(slow_start.convention()),
        };
        Controller {
            startup,
            overrides: overrides.any().then(|| Box::new(overrides)),
            slow_start,
            avoidance,
            phase: Phase::Startup,
            recovery: Recovery::Reduced,
            exit: None,
            exit_undone: false,
        }
    }

    /// The same, which lands by this rule when the startup ends.
    pub fn landing(mut self, rule: LandingRule) -> Controller {
        if let Some(landing) = rule.begin() {
            self.overrides.get_or_insert_default().landing = Some(landing);
        }
        self
    }

    /// How the startup ended; `None` while it lasts.
    pub fn exit(&self) -> Option<&Exit> {
        self.exit.as_deref()
    }

    /// Rate that a SYN requests of the routers, if any.
    pub fn rate_request(&mut self, s: &Syn) -> Option<Rate> {
        self.startup.assisted()?.rate_request(s)
    }

    /// Reports knowledge of the path from other sources than the handshake; before
    /// [`on_established`](Self::on_established).
    pub fn on_known(&mut self, k: &PathInfo) {
        if let Some(startup) = self.startup.assisted() {
            startup.on_known(k);
        }
    }

    /// The startup and the avoidance.
    pub fn parts(&self) -> (&dyn Startup, &dyn Avoidance) {
        (&*self.startup, &*self.avoidance)
    }

    /// Reports the startup's separate columns of a trace.
    pub fn trace(&self, column: &mut dyn FnMut(&str, f64)) {
        if let Some(columns) = self.startup.columns() {
            columns.trace(column);
        }
    }

    /// The peer has measured a pair; before the [`on_ack`](Self::on_ack) of the ACK that
    /// reports it.
    pub fn on_peer_gap(&mut self, w: &mut Window, g: &PeerGap) {
        let before = w.cwnd;
        let startup = self.startup.assisted();
        if let Some(reason) = startup.and_then(|startup| startup.on_peer_gap(w, g)) {
            self.record(reason, g.now, before, 0);
        }
    }

    /// Congestion headers have come back; before the [`on_ack`](Self::on_ack) of the ACK that
    /// brings them.
    pub fn on_feedback(&mut self, w: &mut Window, f: &Feedback) {
        if let Some(startup) = self.startup.assisted() {
            startup.on_feedback(w, f);
        }
    }

    /// Whether the startup or the avoidance needs [`Ack::delivery`].
    pub fn wants_delivery(&self) -> bool {
        self.startup.wants_delivery() || self.samples_after_startup()
    }

    /// Whether the startup still reads samples of the delivery rate.
    pub fn reads_samples(&self) -> bool {
        self.startup.reads_samples()
    }

    /// Whether samples are read after the startup too.
    pub fn samples_after_startup(&self) -> bool {
        self.avoidance.wants_delivery() || self.own_landing().is_some_and(Landing::wants_delivery)
    }

    /// Whether the window is set here at every ACK, in recovery too, so that the transport's
    /// own reductions have to leave it alone.
    pub fn owns_cwnd(&self) -> bool {
        self.startup.owns_cwnd() || self.avoidance_owns_cwnd()
    }

    /// Whether the response to marks is in proportion to their share, so that packets may be sent as
    /// ECT(1) (RFC 9331 §4.3). The first of them is reported to a startup in charge.
    pub fn is_scalable(&self) -> bool {
        self.avoidance.is_scalable()
    }

    /// Whether acknowledgements of a recovery let packets leave in proportion to its reduction, where
    /// the stack can do so.
    pub fn paces_reduction(&self) -> bool {
        self.avoidance.paces_reduction()
    }

    fn avoidance_owns_cwnd(&self) -> bool {
        self.phase == Phase::Avoidance && self.avoidance.owns_cwnd()
    }

    /// The handshake is complete: sets the first window.
    pub fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.header = e.header;
        self.slow_start.open(w, e);
        if let Some(raised) = self.overrides.as_mut().and_then(|o| o.raised.as_mut()) {
            raised.open(w, e);
        }
        self.startup.on_established(w, e);
        self.avoidance.on_established(w, e);
        if let Some(gate) = self.growth_gate_mut() {
            gate.open(w);
        }
    }

    /// A data segment has left.
    #[inline]
    pub fn on_sent(&mut self, w: &mut Window, s: &Sent) {
        let before = w.cwnd;
        if let Some(reason) = self.startup.on_sent(w, s) {
            self.record(reason, s.now, before, s.flight);
        }
    }

    /// A new segment leaves while nothing else is in flight; the one before left at `last`.
    #[cold]
    pub fn on_transmit_start(&mut self, now: Instant, last: Instant) {
        self.avoidance.on_transmit_start(now, last);
    }

    /// An ACK outside recovery: the window may grow.
    #[inline]
    pub fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if self.overrides.is_some() {
            return self.grow_overridden(w, a);
        }
        self.grow(w, a);
    }

    /// Grows where other rules than those of stack, startup and avoidance take part.
    #[cold]
    fn grow_overridden(&mut self, w: &mut Window, a: &Ack) {
        let counts = self.overrides.as_ref().is_some_and(|o| o.startup_credit);
        let credit = match counts && self.startup.in_charge(w) {
            true => self.avoidance.startup_credit(w, a),
            false => a.credit,
        };
        let a = &Ack { credit, ..*a };
        self.raise(w, a);
        if let Some(landing) = self.landing_mut() {
            landing.measure(a);
        }
        let gate = self.overrides.as_mut().and_then(|o| o.growth_gate.take());
        let Some(mut gate) = gate else {
            return self.grow(w, a);
        };
        let rate_limited = gate.measure(w, a);
        if self.owns_cwnd() {
            self.grow(w, a);
        } else {
            let gated = Ack {
                cwnd_limited: gate.admits(w, a),
                ..*a
            };
            let (before, slow_start) = (w.cwnd, self.startup.in_charge(w));
            self.grow(w, &gated);
            if rate_limited {
                gate.cap(w, before, slow_start, a);
            }
        }
        gate.note(w);
        self.overrides.get_or_insert_default().growth_gate = Some(gate);
    }

    /// The stack raises the window of a startup in charge.
    fn raise(&mut self, w: &mut Window, a: &Ack) {
        let raises = self.startup.in_charge(w) && !self.owns_cwnd();
        let raised = self.overrides.as_mut().and_then(|o| o.raised.as_mut());
        if let Some(raised) = raised.filter(|_| raises) {
            raised.raise(w, a);
        }
    }

    fn growth_gate_mut(&mut self) -> Option<&mut GrowthGate> {
        self.overrides.as_mut()?.growth_gate.as_deref_mut()
    }

    fn own_landing(&self) -> Option<&Landing> {
        self.overrides.as_ref()?.landing.as_deref()
    }

    fn landing_mut(&mut self) -> Option<&mut Landing> {
        self.overrides.as_mut()?.landing.as_deref_mut()
    }

    #[inline(always)]
    fn grow(&mut self, w: &mut Window, a: &Ack) {
        if self.avoidance_owns_cwnd() || !self.startup.in_charge(w) {
            self.enter_avoidance(w, a.now, w.cwnd, a.flight);
            return self.avoidance.on_ack(w, a);
        }
        self.phase = Phase::Startup;
        let before = w.cwnd;
        if let Some(reason) = self.startup.on_ack(w, a, &mut self.slow_start) {
            self.record(reason, a.now, before, a.flight);
            if let Some(landing) = self.landing_mut() {
                landing.on_detection(w, reason, before, a.nxt);
            }
        }
        if self.startup.in_charge(w) {
            return self.avoidance.on_startup_ack(w, a);
        }
        self.enter_avoidance(w, a.now, before, a.flight);
        match self.slow_start.unused_acked() {
            0 => self.avoidance.on_startup_ack(w, a),
            rest => {
                let acked = Ack {
                    credit: rest,
                    delivered: rest,
                    ..*a
                };
                self.avoidance.on_ack(w, &acked);
            }
        }
    }

    /// An ACK during recovery: measured, but no growth.
    pub fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        if self.owns_cwnd() || self.recovery == Recovery::Continues {
            return self.on_ack(w, a);
        }
        if let Some(overrides) = &mut self.overrides {
            if let Some(gate) = &mut overrides.growth_gate {
                gate.measure(w, a);
            }
            if let Some(landing) = &mut overrides.landing {
                landing.measure(a);
            }
        }
        if !self.own_landing().is_some_and(Landing::replaces_startup) {
            self.startup.on_recovery_ack(w, a);
        }
        self.avoidance.on_recovery_ack(w, a);
    }

    /// Loss was found: the window shrinks, once per window of data.
    pub fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        if self.own_landing().is_some_and(Landing::ignores_loss) {
            return self.begin_recovery(Reduction::Done, false);
        }
        let before = w.cwnd;
        let (response, lands) = self.respond(w, &Congestion::Loss(*l));
        if response.ends {
            self.record(Reason::Loss, l.now, before, l.flight);
        }
        if response.reduction == Reduction::Standard {
            self.avoidance.on_loss(w, l);
        }
        if let Some(landing) = self.own_landing().filter(|_| lands) {
            landing.land(w, before);
        }
        self.begin_recovery(response.reduction, false);
    }

    /// A mark has come back: the window shrinks as for a loss, once per window of data.
    pub fn on_marked(&mut self, w: &mut Window, m: &Marked) {
        if self.own_landing().is_some_and(Landing::ignores_loss) {
            return self.begin_recovery(Reduction::Done, false);
        }
        let before = w.cwnd;
        let (response, lands) = self.respond(w, &Congestion::Mark(*m));
        if response.ends {
            self.record(Reason::Ecn, m.now, before, m.flight);
        }
        if response.reduction == Reduction::Standard {
            self.avoidance.on_marked(w, m);
        }
        if let Some(landing) = self.own_landing().filter(|_| lands) {
            landing.land(w, before);
        }
        let unchanged = !response.ends && response.reduction == Reduction::Done;
        self.begin_recovery(response.reduction, unchanged);
    }

    /// The startup's response to a loss or a mark, and whether the landing takes the place of its
    /// reduction.
    fn respond(&mut self, w: &mut Window, c: &Congestion) -> (Response, bool) {
        let (before, in_charge) = (*w, self.startup.in_charge(w));
        let mut response = self.startup.on_congestion(w, c);
        let landing = self.landing_mut();
        let lands = landing.is_some_and(|landing| landing.takes_over(in_charge, response));
        if lands {
            (w.cwnd, w.ssthresh) = (before.cwnd, before.ssthresh);
            response.reduction = Reduction::Standard;
        }
        (response, lands)
    }

    fn begin_recovery(&mut self, reduction: Reduction, continues: bool) {
        self.slow_start.on_loss();
        self.recovery = match reduction {
            Reduction::SelfManaged => Recovery::SelfManaged,
            _ if continues => Recovery::Continues,
            _ => Recovery::Reduced,
        };
        self.phase = match continues || self.startup.owns_cwnd() {
            true => Phase::Startup,
            false => Phase::Avoidance,
        };
    }

    /// Everything outstanding at the loss is acknowledged.
    pub fn on_recovered(&mut self, w: &mut Window, r: &Recovered) {
        let before = w.cwnd;
        self.recovery = Recovery::Reduced;
        let replaced = self.landing_mut().is_some_and(Landing::end_recovery);
        let repaired = match replaced {
            true => Repaired::Continues,
            false => self.startup.on_recovered(w, r),
        };
        match repaired {
            Repaired::Continues => {}
            Repaired::Ends(reason) => self.record(reason, r.now, before, r.flight),
            Repaired::LossAt(cwnd) => self.report_loss(w, cwnd, r),
        }
        self.avoidance.on_recovered(w, r);
    }

    /// Reports a loss to the avoidance for which the startup has set the window, which stays.
    fn report_loss(&mut self, w: &Window, cwnd: Segments, r: &Recovered) {
        let mut imagined = Window { cwnd, ..*w };
        let loss = Loss {
            now: r.now,
            flight: imagined.cwnd_bytes(),
            usable: cwnd,
        };
        self.avoidance.on_loss(&mut imagined, &loss);
    }

    /// Whether the window is set here all through the recovery under way.
    pub fn recovery_is_self_managed(&self) -> bool {
        self.recovery == Recovery::SelfManaged || self.owns_cwnd()
    }

    /// The retransmission timer expired: back to one segment.
    pub fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        let before = *w;
        self.recovery = Recovery::Reduced;
        if let Some(landing) = self.landing_mut() {
            landing.cancel();
        }
        let response = self.startup.on_congestion(w, &Congestion::Timeout(*t));
        if response.ends {
            self.record(Reason::Timeout, t.now, before.cwnd, t.flight);
        }
        if self.startup.owns_cwnd() {
            return;
        }
        if response.reduction == Reduction::Standard {
            self.avoidance.on_timeout(w, t);
            self.slow_start.on_timeout();
        } else {
            // The avoidance learns of the timeout; the window stays.
            let set = (w.cwnd, w.ssthresh);
            (w.cwnd, w.ssthresh) = (before.cwnd, before.ssthresh);
            self.avoidance.on_timeout(w, t);
            (w.cwnd, w.ssthresh) = set;
        }
        self.phase = match self.avoidance.owns_cwnd() {
            true => Phase::Avoidance,
            false => Phase::Startup,
        };
    }

    /// The last reduction was spurious; the transport has restored the window.
    pub fn on_spurious(&mut self, w: &mut Window) {
        let in_charge = self.startup.in_charge(w);
        self.recovery = Recovery::Reduced;
        self.slow_start.on_spurious();
        let undone = self.startup.on_spurious(w) && in_charge;
        self.exit_undone |= undone;
        if let Some(landing) = self.landing_mut().filter(|_| undone) {
            landing.undo();
        }
        self.avoidance.on_spurious(w);
    }

    /// Sending resumes after a long idle time.
    pub fn on_idle(&mut self, w: &mut Window, i: &Idle) {
        let before = *w;
        if !self.owns_cwnd() {
            w.cwnd = w.cwnd.min(i.restart_window);
            w.pacing = None;
        }
        // Whatever was marked is no longer out.
        self.end_continuation();
        self.avoidance.on_idle(w, i);
        if self.startup.on_idle(w, &before, i) {
            self.phase = Phase::Startup;
        }
    }

    /// What is to be paced after an idle time, where the avoidance has a view of that.
    pub fn paced_restart(&self) -> Option<(Segments, Duration)> {
        self.avoidance.paced_restart()
    }

    fn enter_avoidance(&mut self, w: &mut Window, now: Instant, before: Segments, flight: u64) {
        if self.phase == Phase::Startup {
            self.record(Reason::Ssthresh, now, before, flight);
            let model = self.startup.export_model();
            if let Some(model) = model.and_then(|m| self.avoidance.adopt_model(m)) {
                model.release_cwnd(w);
            }
            self.avoidance.on_start(w, now);
            self.phase = Phase::Avoidance;
        }
    }

    /// A startup no longer grows during the recovery that a mark has begun.
    fn end_continuation(&mut self) {
        if self.recovery == Recovery::Continues {
            self.recovery = Recovery::Reduced;
        }
    }

    /// Records the first exit. A startup that a spurious loss has ended continues, and may end again.
    fn record(&mut self, reason: Reason, at: Instant, cwnd: Segments, flight: u64) {
        let by_itself = !matches!(reason, Reason::Loss | Reason::Ecn | Reason::Timeout);
        self.end_continuation();
        if self.exit.is_none() || self.exit_undone && by_itself {
            self.exit_undone = false;
            self.exit = Some(Box::new(Exit {
                reason,
                at,
                cwnd,
                flight,
            }));
        }
    }
}

#[cfg(test)]
mod tests;
