//! Deadlines: the retransmission timer's, recovery's own, the pacer's, and that of a SYN.

use super::{Persist, Sender, Spreading, State};
use crate::pacing::pacer::Pacer;
use flowstart_control::Instant;

impl Sender {
    /// When to call [`on_timer`](Self::on_timer).
    pub fn deadline(&self) -> Option<Instant> {
        let due = earlier(self.connection.timer_due(), self.pacer.deadline());
        let due = earlier(due, self.recovery.deadline());
        match &self.opening {
            None => due,
            Some(_) if self.is_blocked() => None,
            Some(opening) => earlier(due, opening.deadline),
        }
    }

    /// Whether nothing is due, and a poll before then would spend tokens that a bucket saves up.
    pub fn saves_tokens(&self, now: Instant) -> bool {
        self.bucket.is_some() && self.deadline().is_some_and(|due| due > now)
    }

    /// A deadline has passed: the pacer's, recovery's own, or the retransmission timer's.
    pub fn on_timer(&mut self, now: Instant) {
        if self.recovery.deadline().is_some_and(|due| due <= now) {
            self.held_back = None;
        }
        if self.may_send_data()
            && !self.is_blocked()
            && !self.recovery.on_timer(&mut self.connection, now)
        {
            return self.fail();
        }
        let early = self.opening.as_ref().and_then(|opening| opening.deadline);
        if let (State::Early { tries, .. }, Some(_)) = (self.state, early.filter(|d| *d <= now)) {
            self.on_syn_timeout(now, tries);
        }
        if !self.connection.timer_fires(now) {
            return;
        }
        self.held_back = None;
        match self.state {
            State::SynSent { tries, .. } => self.on_syn_timeout(now, tries),
            State::Open | State::Early { .. } | State::Serving if self.persist != Persist::Off => {
                self.persist = Persist::Due;
                self.connection.rtt_mut().back_off();
                self.connection.restart_timer(now);
            }
            State::Open | State::Early { .. } | State::Serving => {
                self.pacer = Pacer::default();
                if self.spreading != Spreading::Nothing {
                    self.stop_spreading();
                }
                if !self.recovery.on_timeout(&mut self.connection, now) {
                    self.fail();
                }
            }
            State::Closed | State::Failed => self.connection.stop_timer(),
        }
    }

    pub(super) fn fail(&mut self) {
        self.state = State::Failed;
        self.stop();
    }

    /// Stops all timers: the flow is over.
    pub fn stop(&mut self) {
        self.opening = None;
        self.connection.stop_timer();
        self.pacer = Pacer::default();
    }
}

/// The earlier of two deadlines, either of which may not be set.
fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
