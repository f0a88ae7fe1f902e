//! Loss recovery: what a loss detector has found out is answered, in this order whatever the
//! detector. A timeout that was for nothing is undone, a recovery ends, another begins, a mark is
//! answered, the window takes a step down, and the controller hears of the acknowledgement.
//!
//! The detector finds and plans ([`loss`](super::loss)), the reduction brings the window down
//! ([`reduction`](super::reduction)), the session restores it.

use super::connection::{AckMeta, Connection};
use super::info::Info;
use super::loss::outcome::{AckOutcome, AckRole, CongestionEvent, Events};
use super::loss::{Detector, LossDetector};
use super::reduction::Reduction;
use super::segment::{ByteRange, SegmentRange};
use super::stack::{LossResponse, Stack};
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire::{Ack, ByteAck, Packet};

/// The recovery of one connection.
pub(crate) struct Recovery {
    detector: Detector,
    reduction: Reduction,
}

impl Recovery {
    /// The recovery of a stack.
    pub(crate) fn new(stack: &Stack) -> Recovery {
        Recovery {
            detector: Detector::new(stack),
            reduction: Reduction::new(stack),
        }
    }

    /// The handshake is over; `lost` where a packet of it was, and that is a congestion event.
    pub(crate) fn on_handshake(&mut self, c: &mut Connection, lost: bool, now: Instant) {
        if let Some(events) = self.detector.on_handshake(c, lost) {
            self.apply(c, &events, now);
        }
    }

    /// What leaves is a server's flight, as long as its handshake lasts.
    pub(crate) fn on_serving(&mut self, first_space: Option<u64>) {
        self.detector.on_serving(first_space);
    }

    /// The server's limit of three times what has come keeps it from sending.
    pub(crate) fn on_amplification_limit(&mut self, c: &mut Connection) {
        self.detector.on_amplification_limit(c);
    }

    /// The handshake ends in the first data packet.
    pub(crate) fn on_first_packet_shared(&mut self, c: &Connection) {
        self.detector.on_first_packet_shared(c);
    }

    /// The end of a client's handshake has left, in a separate packet.
    pub(crate) fn on_end_of_handshake(&mut self, c: &Connection, now: Instant) {
        self.detector.on_end_of_handshake(c, now);
    }

    /// Takes in an acknowledgement of what was sent. Not inlined into the event loop.
    #[inline(never)]
    pub(crate) fn on_ack(&mut self, c: &mut Connection, ack: &Ack, meta: AckMeta, now: Instant) {
        match ack {
            Ack::Bytes(ack) if !meta.ece && self.is_plain(c, ack) => {
                self.on_plain_ack(c, ack.una(), now);
            }
            _ => self.on_any_ack(c, ack, meta, now),
        }
    }

    /// Whether an ACK is of new data and reports nothing else, while nothing is missing and nothing
    /// is being repaired.
    #[inline]
    fn is_plain(&self, c: &Connection, ack: &ByteAck) -> bool {
        ack.is_bare()
            && ack.una() > c.una()
            && c.stack().fast_path
            && c.sent().is_clear()
            && self.detector.is_steady(c)
            && !self.reduction.is_active()
    }

    /// The fast path of ACKs. What it leaves out of [`on_any_ack`](Self::on_any_ack) has nothing to
    /// do then: the scoreboard is clear, so nothing is SACKed, lost or repeated; the detector is
    /// steady, so no state is left or entered; no reduction is under way, and no mark has come.
    /// Both paths have the same results.
    #[inline]
    fn on_plain_ack(&mut self, c: &mut Connection, una: u64, now: Instant) {
        let acked = una - c.una();
        let sent = c.acknowledge_in_order(una, now);
        let mut signal = Signal::of(now, 0);
        c.begin_signal(acked, &mut signal);
        signal.rtt = c.take_sample(Some(sent), now);
        signal.flight = c.outstanding();
        self.detector.on_plain_ack(c, sent.newest, &mut signal);
        c.complete_signal(&mut signal);
        c.grow_plainly(&signal);
        self.detector.after_ack(c, true, now);
    }

    /// Takes in any acknowledgement.
    #[inline(never)]
    fn on_any_ack(&mut self, c: &mut Connection, ack: &Ack, meta: AckMeta, now: Instant) {
        let una = c.una();
        let mut signal = Signal::of(now, 0);
        let outcome = self.detector.take_ack(c, ack, &mut signal);
        let Some(outcome) = outcome else { return };
        match outcome.role {
            // Mostly, but under RACK, which has an event for each acknowledgement.
            Some(role) if outcome.events.is_none() && !meta.ece => {
                if role != AckRole::OwnerOnly || c.controller_owns_cwnd() {
                    c.complete_signal(&mut signal);
                    notify_controller(c, &signal, role, meta);
                }
            }
            _ => self.answer(c, outcome, &mut signal, meta),
        }
        self.detector.after_ack(c, c.una() > una, now);
    }

    /// Applies the outcome of an acknowledgement with this signal and these meta data.
    #[inline(never)]
    fn answer(
        &mut self,
        c: &mut Connection,
        outcome: AckOutcome,
        signal: &mut Signal,
        meta: AckMeta,
    ) {
        let AckOutcome { mut role, events } = outcome;
        // Every controller counts what was delivered.
        let counted = role.is_some_and(|role| role != AckRole::OwnerOnly);
        if counted {
            c.complete_signal(signal);
        }
        let mut changes = events;
        if c.stack().window.on_loss == LossResponse::AfterGrowth
            && counted
            && let Some(then) = &mut changes
        {
            self.change_state(c, &then.before_loss(), signal.now);
            if let Some(role) = role.take() {
                notify_controller(c, signal, role, meta);
            }
            *then = then.of_loss();
        }
        if let Some(changes) = &changes {
            self.change_state(c, changes, signal.now);
        }
        if meta.ece && self.detector.on_mark(c, &mut role, signal) {
            self.reduction.begin_for_mark(c, signal.now);
            c.forget_window();
        }
        self.step(c, events.as_ref());
        if let Some(role) = role.filter(|_| counted || c.controller_owns_cwnd()) {
            if !counted {
                c.complete_signal(signal);
            }
            notify_controller(c, signal, role, meta);
        }
    }

    /// Applies what was found out without an acknowledgement.
    fn apply(&mut self, c: &mut Connection, events: &Events, now: Instant) {
        self.change_state(c, events, now);
        self.step(c, Some(events));
    }

    /// A window that comes down by and by takes its step.
    fn step(&mut self, c: &mut Connection, events: Option<&Events>) {
        if let Some(step) = events.and_then(|events| events.step) {
            self.reduction.step(c, step);
        }
    }

    /// The end of one recovery and the beginning of another.
    fn change_state(&mut self, c: &mut Connection, events: &Events, now: Instant) {
        if events.undone {
            self.reduction.stop();
            c.undo();
            if c.controller_owns_cwnd() {
                c.recovered(now);
            }
        }
        if events.ended {
            self.reduction.end(c);
            c.recovered(now);
        }
        if let Some(segments) = events.deflation {
            self.reduction.deflate(c, segments);
        }
        if let Some(began) = events.began {
            match began {
                CongestionEvent::Repair => c.forget_window(),
                CongestionEvent::Repaired => {}
                CongestionEvent::Reduction { .. } | CongestionEvent::SlowStart { .. }
                    if c.has_answered_mark() =>
                {
                    c.forget_window();
                }
                CongestionEvent::Reduction { .. } | CongestionEvent::SlowStart { .. } => {
                    c.save_window();
                }
            }
            self.reduction.begin(c, began, now);
        }
        if events.persistent {
            self.reduction.on_persistent_congestion(c, now);
            c.forget_window();
        }
    }

    /// The retransmission timer has expired: notifies the controller.
    /// False where the connection is to be given up.
    pub(crate) fn on_timeout(&mut self, c: &mut Connection, now: Instant) -> bool {
        let pipe = self.detector.pipe(c);
        let (again, reduced) = (c.has_timed_out(), self.detector.has_reduced(c));
        if !again && !reduced {
            c.save_window();
        }
        let goes_on = c.time_out(now, pipe, reduced);
        self.detector.on_timeout(c, again);
        self.reduction.stop();
        goes_on
    }

    /// Data has been queued or the connection has opened: sending is not tied to an
    /// acknowledgement.
    pub(crate) fn on_data(&mut self) {
        self.detector.on_data();
    }

    /// Returns the segment that may leave next, if the pacer consents.
    #[inline(always)]
    pub(crate) fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        self.detector.plan(c)
    }

    /// `segment` is about to be sent.
    #[inline]
    pub(crate) fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        self.reduction.on_sent();
        self.detector.on_sent(c, segment, now);
    }

    /// A packet without data that is due, where no other is.
    #[cold]
    #[inline(never)]
    pub(crate) fn answer_first_ack(&mut self, c: &mut Connection, now: Instant) -> Option<Packet> {
        self.detector.answer(c, now)
    }

    /// A packet without data that reports the limit which stops the sender.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_blocked(&mut self, c: &mut Connection, now: Instant) -> Option<Packet> {
        self.detector.report_blocked(c, now)
    }

    /// Whether `segment` leaves now, where new data waits until there is enough of it for a burst.
    #[inline(always)]
    pub(crate) fn may_leave(
        &mut self,
        c: &mut Connection,
        segment: SegmentRange,
        now: Instant,
    ) -> bool {
        self.detector.may_leave(c, segment, now)
    }

    /// It has been sent.
    #[inline]
    pub(crate) fn after_sent(&mut self, c: &mut Connection, plan: ByteRange, now: Instant) {
        self.detector.after_sent(c, plan, now);
    }

    /// When to call [`on_timer`](Self::on_timer): a timer besides the
    /// retransmission timer.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.detector.deadline()
    }

    /// That deadline may have passed. False where the connection is to be given up.
    pub(crate) fn on_timer(&mut self, c: &mut Connection, now: Instant) -> bool {
        if let Some(events) = self.detector.on_timer(c, now) {
            self.apply(c, &events, now);
        }
        !self.detector.gives_up(c)
    }

    /// Whether anything of `[start, end)` is known to have arrived beyond what is acknowledged.
    pub(crate) fn has_arrived(&self, c: &Connection, start: u64, end: u64) -> bool {
        self.detector.has_arrived(c, start, end)
    }

    /// Bytes in flight, as the loss detector estimates them.
    #[inline]
    pub(crate) fn pipe(&self, c: &Connection) -> u64 {
        self.detector.pipe(c)
    }

    /// Whether cwnd counts as the limit of what was sent, where the loss detector is Linux's.
    pub(crate) fn is_cwnd_limited(&self, c: &Connection) -> bool {
        self.detector.is_cwnd_limited(c)
    }

    /// What is out, and what has become of it, where the loss detector is Linux's.
    pub(crate) fn info(&self, c: &Connection) -> Option<Info> {
        self.detector.info(c)
    }

    /// The loss detector.
    #[cfg(test)]
    pub(crate) fn detector(&self) -> &Detector {
        &self.detector
    }
}

fn notify_controller(c: &mut Connection, signal: &Signal, role: AckRole, meta: AckMeta) {
    if role == AckRole::Growth {
        return c.grow(signal, meta);
    }
    match (role, c.controller_owns_cwnd()) {
        (AckRole::Held | AckRole::OwnerGrowth, true) => c.grow(signal, meta),
        (AckRole::OwnerGrowth | AckRole::OwnerRecovery | AckRole::OwnerOnly, false) => {}
        _ => c.recovery_ack(signal),
    }
}
