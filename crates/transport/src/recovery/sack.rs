//! SACK-based recovery with a conservative pipe: RFC 6675.
//!
//! Outside recovery the pipe is what is outstanding less what is SACKed, so limited
//! transmit (RFC 3042, RFC 6675 §5 step 3.3) needs no rule of its own. After a timeout
//! all that is not SACKed counts as lost and is repaired in slow start by the same
//! NextSeg, instead of going back over data that has arrived.

use super::super::connection::{Carried, Connection};
use super::super::plan::Plan;
use super::super::scoreboard::{Scoreboard, DUP_THRESH};
use flowstart_control::Time;
use flowstart_wire::ByteAck;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    /// Fast recovery, until RecoveryPoint is acknowledged.
    Recovery,
    /// After a timeout, until RecoveryPoint is acknowledged: no new fast recovery
    /// (RFC 6675 §5.1).
    AfterTimeout,
}

/// By which rule of NextSeg a segment may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Rules 1 to 3: a hole below the highest SACKed byte, or data not sent before.
    Ordinary,
    /// Rule 4: the rescue retransmission.
    Rescue,
}

/// RFC 6675's sender.
#[derive(Default)]
pub struct Sack {
    board: Scoreboard,
    phase: Phase,
    /// RecoveryPoint (§5 step 4.1).
    recovery_point: u64,
    /// RescueRxt (§4 NextSeg rule 4): `None` where no rescue may be sent.
    rescue_rxt: Option<u64>,
    dup_acks: usize,
    /// Bytes that limited transmit added to the flight.
    limited_bytes: u64,
    /// The first retransmission of a recovery, which no pipe holds back.
    forced: Option<Plan>,
}

impl Sack {
    /// Whether anything of `[start, end)` is selectively acknowledged.
    pub fn has_arrived(&self, start: u64, end: u64) -> bool {
        self.board.has_arrived(start, end)
    }

    /// Takes in an acknowledgement.
    pub fn on_ack(&mut self, c: &mut Connection, ack: &ByteAck, carried: Carried, now: Time) {
        if ack.una() < c.una {
            return;
        }
        let acked = ack.una() - c.una;
        let fresh = self.board.update(ack.sack_blocks(), c.mss());
        if acked == 0 && fresh == 0 {
            return;
        }
        let mut delivered = fresh;
        let mut rtt = None;
        if acked > 0 {
            let sent = c.advance(ack.una(), now);
            delivered += self.board.advance(ack.una());
            rtt = c.take_sample(sent, now);
            c.rearm(now);
        }
        debug_assert!(c.una < c.high || self.pipe(c) == 0, "the pipe leaks");
        if self.forced.is_some() {
            self.look_again(c);
        }
        let signal = c.ack_signal(now, acked, delivered, rtt, self.pipe(c));
        match self.phase {
            Phase::Recovery if c.una >= self.recovery_point => {
                self.phase = Phase::Open;
                self.dup_acks = 0;
                self.limited_bytes = 0;
                c.recovered(now);
                if c.controller.rules_window() {
                    c.grow(&signal, carried);
                }
            }
            Phase::Recovery => c.recovery_ack(&signal),
            Phase::AfterTimeout | Phase::Open => {
                if acked > 0 {
                    self.on_new_ack(c);
                    c.grow(&signal, carried);
                    return;
                }
                if self.phase == Phase::Open {
                    self.on_duplicate_ack(c, now);
                }
                if c.controller.rules_window() {
                    c.recovery_ack(&signal);
                }
            }
        }
    }

    fn on_new_ack(&mut self, c: &Connection) {
        self.dup_acks = 0;
        self.limited_bytes = 0;
        if self.phase == Phase::AfterTimeout && c.una >= self.recovery_point {
            self.phase = Phase::Open;
        }
    }

    /// §5 steps 1 to 4.
    fn on_duplicate_ack(&mut self, c: &mut Connection, now: Time) {
        self.dup_acks += 1;
        if self.dup_acks < DUP_THRESH && !self.board.is_lost(c.una) {
            return;
        }
        c.lose(now, self.limited_bytes);
        self.phase = Phase::Recovery;
        self.recovery_point = c.high;
        self.board.begin_recovery();
        // What is SACKed right above may be closer than a full segment.
        let hole = self.board.next_hole(false).unwrap_or((c.una, c.high));
        let first = self.clip(c, hole);
        self.rescue_rxt = Some(first.end);
        self.forced = Some(first);
        c.restart_timer(now);
    }

    /// A pacer has held back the first retransmission, and more is known now.
    fn look_again(&mut self, c: &Connection) {
        let over = c.una >= self.recovery_point;
        let hole = self.board.next_hole(false).filter(|_| !over);
        self.forced = hole.map(|hole| self.clip(c, hole));
    }

    /// The timer expired.
    pub fn on_timeout(&mut self, c: &mut Connection) {
        self.phase = Phase::AfterTimeout;
        self.recovery_point = c.high;
        self.dup_acks = 0;
        self.limited_bytes = 0;
        self.forced = None;
        self.board.lose_everything(c.high);
    }

    /// Nothing to remember.
    pub fn on_data(&mut self) {}

    /// §5 step C with NextSeg.
    pub fn plan(&self, c: &Connection) -> Option<Plan> {
        if self.forced.is_some() {
            return self.forced;
        }
        let room = c.window.cwnd_bytes().saturating_sub(self.pipe(c));
        let (plan, _) = self.next_seg(c)?;
        (plan.end - plan.start <= room).then_some(plan)
    }

    /// NextSeg (§4), and by which rule.
    fn next_seg(&self, c: &Connection) -> Option<(Plan, Rule)> {
        if self.phase == Phase::Open {
            let held = self.dup_acks > 0 && !c.stack.limited_transmit;
            return c
                .next_segment()
                .filter(|_| !held)
                .map(|plan| (plan, Rule::Ordinary));
        }
        if let Some(hole) = self.board.next_hole(true) {
            return Some((self.clip(c, hole), Rule::Ordinary));
        }
        if let Some(new) = c.next_segment() {
            return Some((new, Rule::Ordinary));
        }
        if self.phase != Phase::Recovery {
            return None;
        }
        if c.stack.next_seg_rule_3 {
            if let Some(hole) = self.board.next_hole(false) {
                return Some((self.clip(c, hole), Rule::Ordinary));
            }
        }
        self.rescue(c).map(|plan| (plan, Rule::Rescue))
    }

    /// Rule 4: once a recovery, when the acknowledgement has passed RescueRxt.
    fn rescue(&self, c: &Connection) -> Option<Plan> {
        let due = c.stack.next_seg_rule_4 && self.rescue_rxt.is_some_and(|r| c.una > r);
        let hole = due
            .then(|| self.board.highest_hole(c.high, c.mss()))
            .flatten()?;
        Some(Plan {
            start: hole.0,
            end: hole.1,
        })
    }

    fn clip(&self, c: &Connection, hole: (u64, u64)) -> Plan {
        Plan {
            start: hole.0,
            end: hole.1.min(c.segment_end(hole.0)),
        }
    }

    /// Accounts for a segment that leaves.
    pub fn on_sent(&mut self, c: &Connection, plan: Plan) {
        if self.forced.take().is_some() {
            return self.board.retransmitted(plan.start, plan.end);
        }
        if plan.start >= c.high {
            if self.phase == Phase::Open && self.dup_acks > 0 {
                self.limited_bytes += plan.end - plan.start;
            }
            return;
        }
        match self.next_seg(c) {
            Some((_, Rule::Rescue)) => self.rescue_rxt = None,
            _ => self.board.retransmitted(plan.start, plan.end),
        }
    }

    /// The pipe.
    pub fn pipe(&self, c: &Connection) -> u64 {
        self.board.pipe(c.high)
    }
}
