//! Loss recovery: what a loss detector has outcome out is answered, in this order whatever the
//! detector. A timeout that was for nothing is undone, a recovery ends, another begins, a mark is
//! answered, the window takes a step down, and the controller hears of the acknowledgement.
//!
//! The detector finds and plans ([`loss`](super::loss)), the reduction brings the window down
//! ([`reduction`](super::reduction)), the session restores it.

use super::connection::{AckMeta, Connection};
use super::info::Info;
use super::loss::outcome::{AckOutcome, AckReport, AckRole, CongestionEvent, Events};
use super::loss::{Detector, LossDetector};
use super::reduction::Reduction;
use super::segment::{ByteRange, SegmentRange};
use super::stack::Stack;
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire::{Ack, ByteAck, Packet};

/// The recovery of one connection.
pub struct Recovery {
    detector: Detector,
    reduction: Reduction,
}

impl Recovery {
    /// The recovery of a stack.
    pub fn new(stack: &Stack) -> Recovery {
        Recovery {
            detector: Detector::new(stack),
            reduction: Reduction::new(stack),
        }
    }

    /// The handshake is over; `lost` where a packet of it was, and that is a congestion event.
    pub fn on_handshake(&mut self, c: &mut Connection, lost: bool, now: Instant) {
        if let Some(mut outcome) = self.detector.on_handshake(c, lost) {
            self.answer(c, &mut outcome, None, now);
        }
    }

    /// The handshake ends in the first data packet.
    pub fn on_first_packet_shared(&mut self, c: &Connection) {
        self.detector.on_first_packet_shared(c);
    }

    /// Takes in an acknowledgement of what was sent. Not inlined into the event loop.
    #[inline(never)]
    pub fn on_ack(&mut self, c: &mut Connection, ack: &Ack, meta: AckMeta, now: Instant) {
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
        let rtt = c.take_sample(Some(sent), now);
        let report = AckReport {
            cwnd_limited: self.detector.on_plain_ack(c, sent.newest, now),
            ..AckReport::of(c.outstanding(), acked, rtt, AckRole::Growth)
        };
        let signal = c.ack_signal(&report, now);
        c.grow_plainly(&signal);
        self.detector.after_ack(c, true, now);
    }

    /// Takes in any acknowledgement.
    #[inline(never)]
    fn on_any_ack(&mut self, c: &mut Connection, ack: &Ack, meta: AckMeta, now: Instant) {
        let una = c.una();
        let mut outcome = self.detector.take_ack(c, ack, now);
        let Some(outcome) = &mut outcome else { return };
        match &outcome.report {
            // Mostly, but under RACK, which has an event for each acknowledgement.
            Some(report) if outcome.events.is_none() && !meta.ece => {
                if report.audience != AckRole::OwnerOnly || c.controller_owns_cwnd() {
                    let signal = c.ack_signal(report, now);
                    notify_controller(c, &signal, report.audience, meta);
                }
            }
            _ => self.answer(c, outcome, Some(meta), now),
        }
        self.detector.after_ack(c, c.una() > una, now);
    }

    /// Answers what was outcome from an acknowledgement with this meta data, or from something else.
    #[inline(never)]
    fn answer(
        &mut self,
        c: &mut Connection,
        outcome: &mut AckOutcome,
        meta: Option<AckMeta>,
        now: Instant,
    ) {
        // Every controller counts what was delivered.
        let counted = |report: &&AckReport| report.audience != AckRole::OwnerOnly;
        let counted = outcome.report.as_ref().filter(counted);
        let mut signal = counted.map(|report| c.ack_signal(report, now));
        let mut events = outcome.events;
        if c.stack().window.grows_before_loss
            && let (Some(then), Some(growth), Some(meta)) = (&mut events, &mut signal, meta)
        {
            self.change_state(c, &then.before_loss(), now);
            if let Some(report) = outcome.report.take() {
                growth.credit = report.credit;
                notify_controller(c, growth, report.audience, meta);
            }
            *then = then.of_loss();
        }
        if let Some(events) = &events {
            self.change_state(c, events, now);
        }
        let marked = meta.is_some_and(|meta| meta.ece) && self.detector.on_mark(c, outcome);
        if marked {
            self.reduction.begin_for_mark(c, now);
            c.forget_window();
        }
        if let Some(step) = outcome.events.as_ref().and_then(|events| events.step) {
            self.reduction.step(c, step);
        }
        if let (Some(report), Some(meta)) = (&outcome.report, meta) {
            if signal.is_none() && c.controller_owns_cwnd() {
                signal = Some(c.ack_signal(report, now));
            }
            if let Some(signal) = &mut signal {
                signal.credit = report.credit;
                notify_controller(c, signal, report.audience, meta);
            }
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
                    c.save_window()
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
    pub fn on_timeout(&mut self, c: &mut Connection, now: Instant) -> bool {
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
    pub fn on_data(&mut self) {
        self.detector.on_data();
    }

    /// Returns the segment that may leave next, if the pacer consents.
    #[inline(always)]
    pub fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        self.detector.plan(c)
    }

    /// `segment` is about to be sent.
    #[inline]
    pub fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        self.reduction.on_sent();
        self.detector.on_sent(c, segment, now);
    }

    /// A packet without data that is due, where no other is.
    #[cold]
    #[inline(never)]
    pub fn answer_first_ack(&mut self, c: &mut Connection, now: Instant) -> Option<Packet> {
        self.detector.answer(c, now)
    }

    /// A packet without data that reports the limit which stops the sender.
    #[cold]
    #[inline(never)]
    pub fn report_blocked(&mut self, c: &mut Connection, now: Instant) -> Option<Packet> {
        self.detector.report_blocked(c, now)
    }

    /// Whether `segment` leaves now, where new data waits until there is enough of it for a burst.
    #[inline(always)]
    pub fn may_leave(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) -> bool {
        self.detector.may_leave(c, segment, now)
    }

    /// It has been sent.
    #[inline]
    pub fn after_sent(&mut self, c: &mut Connection, plan: ByteRange, now: Instant) {
        self.detector.after_sent(c, plan, now);
    }

    /// When to call [`on_timer`](Self::on_timer): a timer besides the
    /// retransmission timer.
    pub fn deadline(&self) -> Option<Instant> {
        self.detector.deadline()
    }

    /// That deadline may have passed. False where the connection is to be given up.
    pub fn on_timer(&mut self, c: &mut Connection, now: Instant) -> bool {
        if let Some(mut outcome) = self.detector.on_timer(c, now) {
            self.answer(c, &mut outcome, None, now);
        }
        !self.detector.gives_up(c)
    }

    /// Whether anything of `[start, end)` is known to have arrived beyond what is acknowledged.
    pub fn has_arrived(&self, c: &Connection, start: u64, end: u64) -> bool {
        self.detector.has_arrived(c, start, end)
    }

    /// Bytes in flight, as the loss detector estimates them.
    #[inline]
    pub fn pipe(&self, c: &Connection) -> u64 {
        self.detector.pipe(c)
    }

    /// What is out, and what has become of it, where the loss detector is Linux's.
    pub fn info(&self, c: &Connection) -> Option<Info> {
        self.detector.info(c)
    }

    /// The loss detector.
    #[cfg(test)]
    pub fn detector(&self) -> &Detector {
        &self.detector
    }
}

fn notify_controller(c: &mut Connection, signal: &Signal, audience: AckRole, meta: AckMeta) {
    if audience == AckRole::Growth {
        return c.grow(signal, meta);
    }
    match (audience, c.controller_owns_cwnd()) {
        (AckRole::Held | AckRole::OwnerGrowth, true) => c.grow(signal, meta),
        (AckRole::OwnerGrowth | AckRole::OwnerRecovery | AckRole::OwnerOnly, false) => {}
        _ => c.recovery_ack(signal),
    }
}
