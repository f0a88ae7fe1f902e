//! ns-2's Sack1 agent, which is not RFC 6675.
//!
//! Its pipe is a number that entering recovery sets and every acknowledgement counts
//! down, twice where it is partial; lost packets stay in it. Every hole below the
//! highest SACKed packet is sent once, with no test of loss, and what is lost above that
//! is found by the timer alone. The scoreboard is forgotten when recovery ends and when
//! the timer fires, so it is not the connection's ledger, which forgets nothing. (ns-2.35,
//! `tcp-sack1.cc`.)

use super::super::connection::Connection;
use super::super::ranges::RangeSet;
use super::super::segment::{ByteRange, SegmentRange, Why};
use super::super::sent::NewlyAcked;
use super::detector::LossDetector;
use super::outcome::{AckOutcome, AckRole, CongestionEvent, Events};
use flowstart_control::signals::Ack as Signal;
use flowstart_control::{Duration, Instant};
use flowstart_wire::ByteAck;

const NUMDUPACKS: u64 = 3;

/// What an event allows to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gate {
    /// What the window, or in recovery the pipe, allows.
    #[default]
    Open,
    /// Nothing: a duplicate acknowledgement outside recovery.
    Closed,
    /// One new segment beyond the window (`singledup_`, limited transmit).
    One,
}

/// Sack1's state.
#[derive(Default)]
pub(crate) struct Ns2 {
    sacked: RangeSet,
    /// Holes below this have been sent again (`h_seqno_`).
    retransmitted_to: u64,
    in_recovery: bool,
    /// Highest byte sent when the window was last reduced (`recover_`).
    recover: u64,
    pipe: i64,
    dup_acks: u64,
    /// A timeout has occurred and no new data was acknowledged since: duplicate
    /// acknowledgements mean nothing (`timeout_`).
    after_timeout: bool,
    gate: Gate,
    forced: Option<ByteRange>,
}

impl LossDetector for Ns2 {
    /// An acknowledgement has come that reports this for the first time.
    fn on_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        ack: &ByteAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        signal.flight = c.outstanding();
        if self.in_recovery {
            return Some(self.on_recovery_ack(c, newly, ack, signal));
        }
        if newly.acked > 0 {
            return Some(self.on_new_ack(c, newly, signal));
        }
        match self.after_timeout {
            true => None,
            false => self.on_duplicate_ack(c, ack, signal),
        }
    }

    /// One that is older than the last has come: it is counted all the same.
    fn on_overtaken_ack(&mut self, _c: &Connection) -> bool {
        if self.in_recovery {
            self.pipe -= 1;
            self.gate = Gate::Open;
        }
        false
    }

    /// The timer expired: go back to the first unacknowledged packet.
    fn on_timeout(&mut self, c: &mut Connection, _again: bool) {
        self.dup_acks = 0;
        self.in_recovery = false;
        self.after_timeout = true;
        self.recover = c.high();
        self.forced = None;
        self.gate = Gate::Open;
        self.forget();
        c.go_back_to(c.una());
    }

    /// Sending starts without an acknowledgement.
    fn on_data(&mut self) {
        if !self.in_recovery && self.dup_acks == 0 {
            self.gate = Gate::Open;
        }
    }

    /// What may leave next.
    fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        if let Some(first) = self.forced {
            return Some(first.because(Why::Lost));
        }
        let next = match self.gate {
            Gate::Closed => None,
            Gate::One => c.next_segment().filter(|plan| {
                let beyond = c.window().cwnd + self.dup_acks as f64;
                (plan.end - c.una()) as f64 <= beyond * c.mss() as f64
            }),
            Gate::Open if self.in_recovery => self.plan_in_recovery(c),
            Gate::Open => {
                let plan = c.next_segment()?;
                (plan.end <= c.una() + c.window().cwnd_segments() * c.mss()).then_some(plan)
            }
        };
        next.map(|range| range.by_position(c.high()))
    }

    /// Accounts for a segment that leaves.
    fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, _now: Instant) {
        let plan = segment.range;
        if self.forced.take().is_some() {
            return;
        }
        if self.gate == Gate::One {
            self.gate = Gate::Closed;
        }
        if self.in_recovery {
            self.pipe += 1;
            if plan.start < c.nxt() {
                self.retransmitted_to = plan.end;
            }
        }
    }

    /// Whether anything of `[start, end)` is selectively acknowledged.
    fn has_arrived(&self, _c: &Connection, start: u64, end: u64) -> bool {
        self.sacked.meets(start, end)
    }

    /// In recovery, its own count; else what is outstanding.
    fn pipe(&self, c: &Connection) -> u64 {
        if self.in_recovery {
            self.pipe.max(0).unsigned_abs() * c.mss()
        } else {
            c.nxt() - c.una()
        }
    }
}

impl Ns2 {
    fn on_new_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        signal: &mut Signal,
    ) -> AckOutcome {
        signal.rtt = self.acknowledge(c, newly, signal.now);
        self.gate = Gate::Open;
        AckOutcome {
            role: Some(AckRole::Growth),
            events: None,
        }
    }

    fn on_duplicate_ack(
        &mut self,
        c: &mut Connection,
        ack: &ByteAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        if !self.learn(c, ack) {
            return None;
        }
        let mut began = None;
        self.dup_acks += 1;
        self.gate = Gate::Closed;
        if self.dup_acks == NUMDUPACKS {
            if c.is_beyond(self.recover) {
                began = Some(self.enter(c, signal.now));
            }
        } else if self.dup_acks < NUMDUPACKS && c.stack().recovery.limited_transmit {
            self.gate = Gate::One;
        }
        Some(AckOutcome {
            role: Some(self.report_to_owner(c, signal)),
            events: began.map(Events::begin),
        })
    }

    /// What only a controller that owns the window has a use for.
    fn report_to_owner(&self, c: &Connection, signal: &mut Signal) -> AckRole {
        signal.flight = self.pipe(c);
        AckRole::OwnerOnly
    }

    fn enter(&mut self, c: &mut Connection, now: Instant) -> CongestionEvent {
        self.recover = c.high();
        self.in_recovery = true;
        let out = c.outstanding().div_ceil(c.mss());
        self.pipe = out as i64 - NUMDUPACKS as i64;
        // Before the window comes down, to which a startup's own timeout belongs.
        c.restart_timer(now);
        c.stop_timing();
        let first = c.segment_at(c.una());
        self.retransmitted_to = self.retransmitted_to.max(first.end);
        self.forced = Some(first);
        // The retransmission leaves at once; what the pipe allows waits for the next
        // acknowledgement.
        self.gate = Gate::Closed;
        CongestionEvent::Reduction {
            added: 0,
            timed: false,
        }
    }

    fn on_recovery_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        ack: &ByteAck,
        signal: &mut Signal,
    ) -> AckOutcome {
        self.pipe -= 1;
        self.gate = Gate::Open;
        // A pacer may have held it back until it is not needed.
        self.forced = self.forced.filter(|plan| plan.start >= c.una());
        let ended = c.una() >= self.recover;
        let role = match ended {
            true => AckRole::OwnerRecovery,
            false => AckRole::Recovery,
        };
        if ended {
            self.recover = 0;
            self.in_recovery = false;
            self.acknowledge(c, newly, signal.now);
        } else {
            if newly.acked > 0 {
                self.pipe -= 1;
                c.restart_timer(signal.now);
                c.rtt_mut().end_backoff();
            }
            self.learn(c, ack);
        }
        AckOutcome {
            role: Some(match newly.acked {
                0 => self.report_to_owner(c, signal),
                _ => role,
            }),
            events: ended.then(Events::end),
        }
    }

    /// ns-2's `newack`. Returns the round-trip sample.
    fn acknowledge(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        now: Instant,
    ) -> Option<Duration> {
        let rtt = c.take_sample(newly.sent, now);
        c.rearm(now);
        self.dup_acks = 0;
        self.after_timeout = false;
        self.forget();
        rtt
    }

    /// Reads SACK blocks; whether they reported anything new.
    fn learn(&mut self, c: &Connection, ack: &ByteAck) -> bool {
        let mut changed = false;
        self.sacked.remove_below(c.una(), |_, _| changed = true);
        for (start, end) in ack.sack_blocks() {
            self.sacked.insert(start, end, |_, _| changed = true);
        }
        changed
    }

    fn forget(&mut self) {
        self.sacked.clear();
        self.retransmitted_to = 0;
    }

    fn plan_in_recovery(&self, c: &Connection) -> Option<ByteRange> {
        if self.pipe >= c.window().cwnd_segments() as i64 {
            return None;
        }
        match self
            .sacked
            .hole_at_or_after(self.retransmitted_to.max(c.una()))
        {
            Some((start, _)) => Some(c.segment_at(start)),
            None => c.next_segment(),
        }
    }
}
