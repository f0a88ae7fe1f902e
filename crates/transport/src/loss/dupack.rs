//! Recovery without SACK: go-back-N, Tahoe, Reno and NewReno.
//!
//! The four share one machine. Duplicate acknowledgements inflate the window instead of
//! being counted in a pipe; the inflation is kept apart from cwnd, as ns-2's `dupwnd_`
//! is, so that the controller's window stays the controller's. Where ns-2 and the RFCs
//! differ the stack's options decide. (RFC 5681 §3.2, RFC 6582; ns-2.35 `tcp.cc`,
//! `tcp-reno.cc`, `tcp-newreno.cc`.)

use super::super::connection::Connection;
use super::super::segment::{ByteRange, SegmentRange, Why};
use super::super::sent::NewlyAcked;
use super::super::stack::RecoveryKind;
use super::detector::LossDetector;
use super::outcome::{AckOutcome, AckRole, CongestionEvent, Events};
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire::ByteAck;

const DUP_THRESH: u64 = 3;

/// What an event allows to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    /// What the window allows.
    Open,
    /// At most so many segments.
    Burst(u32),
    /// One new segment beyond the window (RFC 3042).
    One,
    /// Nothing.
    Closed,
}

/// The state of a recovery without SACK.
pub(crate) struct DupAck {
    kind: RecoveryKind,
    dup_acks: u64,
    /// Highest byte sent at the last reduction: a series of duplicates counts only when
    /// the cumulative acknowledgement has passed it (RFC 6582 §3.2 step 2).
    recover: u64,
    in_recovery: bool,
    first_partial_seen: bool,
    /// Segments that have left the network, as duplicates show (`dupwnd_`).
    inflation: u64,
    limited_bytes: u64,
    gate: Gate,
    forced: Option<ByteRange>,
    /// A sender that goes back sends these again.
    uncounted: bool,
}

impl DupAck {
    /// A recovery of this kind.
    pub(crate) fn new(kind: RecoveryKind) -> DupAck {
        DupAck {
            kind,
            dup_acks: 0,
            recover: 0,
            in_recovery: false,
            first_partial_seen: false,
            inflation: 0,
            limited_bytes: 0,
            gate: Gate::Open,
            forced: None,
            uncounted: false,
        }
    }
}

impl LossDetector for DupAck {
    /// An acknowledgement has come that reports this for the first time.
    fn on_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        _ack: &ByteAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        signal.flight = c.outstanding();
        if newly.acked > 0 {
            let partial = self.in_recovery && c.una() < self.recover;
            return Some(if partial && self.kind == RecoveryKind::NewReno {
                self.on_partial_ack(c, newly, signal.now)
            } else {
                self.on_new_ack(c, newly, signal)
            });
        }
        let began = match c.outstanding() {
            0 => None,
            _ => self.on_duplicate_ack(c),
        };
        began.map(|began| AckOutcome::events(Events::begin(began)))
    }

    /// The timer expired: go back to the first unacknowledged segment.
    fn on_timeout(&mut self, c: &mut Connection, _again: bool) {
        if self.kind != RecoveryKind::Tahoe || !c.stack().ns2.counts_duplicates_on {
            self.dup_acks = 0;
        }
        self.limited_bytes = 0;
        self.inflation = 0;
        self.in_recovery = false;
        self.recover = c.high();
        self.forced = None;
        self.gate = Gate::Open;
        c.go_back_to(c.una());
    }

    /// Sending starts without an acknowledgement.
    fn on_data(&mut self) {
        if self.dup_acks == 0 {
            self.gate = Gate::Open;
        }
    }

    /// What may leave next.
    fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        if let Some(first) = self.forced {
            return Some(first.because(Why::Lost));
        }
        let plan = c.next_segment()?;
        let room = match self.gate {
            Gate::Closed | Gate::Burst(0) => return None,
            Gate::One => c.window().cwnd_bytes() + self.dup_acks.min(2) * c.mss(),
            Gate::Open | Gate::Burst(_) => self.window_bytes(c),
        };
        (plan.end <= c.una() + room).then_some(plan.by_position(c.high()))
    }

    /// Accounts for a segment that leaves.
    fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, _now: Instant) {
        let plan = segment.range;
        if self.forced.take().is_some() {
            self.uncounted = !c.stack().ns2.fast_retransmit_counts && c.nxt() <= plan.start;
            return;
        }
        match &mut self.gate {
            Gate::Burst(left) => *left -= 1,
            Gate::One => {
                self.limited_bytes += plan.end.saturating_sub(c.high().max(plan.start));
                self.gate = Gate::Closed;
            }
            _ => {}
        }
    }

    /// It has left.
    #[inline]
    fn after_sent(&mut self, c: &mut Connection, plan: ByteRange, _now: Instant) {
        if std::mem::take(&mut self.uncounted) {
            c.go_back_to(plan.start);
        }
    }

    /// What is outstanding, without what has left according to duplicates.
    fn pipe(&self, c: &Connection) -> u64 {
        (c.nxt() - c.una()).saturating_sub(self.inflation * c.mss())
    }
}

impl DupAck {
    fn on_new_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        signal: &mut Signal,
    ) -> AckOutcome {
        // A pacer may have held it back until it is not needed.
        self.forced = None;
        signal.rtt = c.take_sample(newly.sent, signal.now);
        c.rearm(signal.now);
        self.dup_acks = 0;
        self.limited_bytes = 0;
        self.inflation = 0;
        self.gate = Gate::Open;
        let ended = std::mem::take(&mut self.in_recovery);
        let role = match ended && !c.stack().ns2.grows_leaving_recovery {
            true => AckRole::OwnerGrowth,
            false => AckRole::Growth,
        };
        AckOutcome {
            role: Some(role),
            events: ended.then(Events::end),
        }
    }

    /// RFC 6582 §3.2 step 3, partial acknowledgements.
    fn on_partial_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        now: Instant,
    ) -> AckOutcome {
        if !c.stack().recovery.newreno.impatient || !self.first_partial_seen {
            self.first_partial_seen = true;
            c.restart_timer(now);
        }
        let deflation = self.deflate(c, newly.acked.div_ceil(c.mss()));
        if c.rtt().times_one_segment() {
            c.drop_passed_timing();
        } else {
            c.take_sample(newly.sent, now);
        }
        self.forced = Some(c.segment_at(c.una()));
        self.gate = c
            .stack()
            .recovery
            .newreno
            .max_burst
            .map_or(Gate::Open, Gate::Burst);
        AckOutcome {
            role: Some(AckRole::Recovery),
            events: deflation.map(|_| Events {
                deflation,
                ..Events::default()
            }),
        }
    }

    /// So many segments have left the network. Returns by how many the window is to shrink.
    fn deflate(&mut self, c: &Connection, acked: u64) -> Option<u64> {
        if !c.stack().recovery.newreno.partial_deflation {
            self.inflation = 0;
            None
        } else if self.inflation > acked {
            self.inflation -= acked - 1;
            None
        } else {
            let beyond = acked - self.inflation;
            self.inflation = 1;
            Some(beyond)
        }
    }

    fn on_duplicate_ack(&mut self, c: &mut Connection) -> Option<CongestionEvent> {
        self.dup_acks += 1;
        let mut began = None;
        if self.dup_acks == DUP_THRESH && self.kind != RecoveryKind::GoBackN {
            self.gate = Gate::Open;
            if c.is_beyond(self.recover) {
                began = Some(self.enter(c));
            }
        } else if self.dup_acks > DUP_THRESH {
            if self.in_recovery && self.kind != RecoveryKind::Tahoe {
                self.inflation += 1;
            }
            self.gate = Gate::Open;
        } else if c.stack().recovery.limited_transmit && self.kind != RecoveryKind::GoBackN {
            self.gate = Gate::One;
        } else {
            self.gate = Gate::Closed;
        }
        if self.kind == RecoveryKind::NewReno && self.dup_acks >= DUP_THRESH {
            self.gate = c
                .stack()
                .recovery
                .newreno
                .max_burst
                .map_or(Gate::Open, Gate::Burst);
        }
        began
    }

    fn enter(&mut self, c: &mut Connection) -> CongestionEvent {
        self.recover = c.high();
        c.stop_timing();
        let added = self.limited_bytes;
        if self.kind == RecoveryKind::Tahoe {
            c.go_back_to(c.una());
            return CongestionEvent::SlowStart { added };
        }
        self.in_recovery = true;
        self.first_partial_seen = false;
        self.inflation = DUP_THRESH;
        self.forced = Some(c.segment_at(c.una()));
        CongestionEvent::Reduction { added, timed: true }
    }

    fn window_bytes(&self, c: &Connection) -> u64 {
        let window = match c.stack().ns2.whole_window {
            true => c.window().cwnd_segments() * c.mss(),
            false => c.window().cwnd_bytes(),
        };
        window + self.inflation * c.mss()
    }
}
