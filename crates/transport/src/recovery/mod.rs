//! Loss recovery: one file for each family.
//!
//! A recovery decides what an acknowledgement means, when loss is found, and which
//! segment may leave next. It neither sends nor sets windows by itself: sending is the
//! sender's, the window the controller's.

use super::connection::{Carried, Connection};
use super::plan::Plan;
use super::stack::{RecoveryKind, Stack};
use flowstart_control::Time;
use flowstart_wire::Ack;

mod classic;
mod ns2_sack;
mod quic;
mod rack;
mod sack;

/// The recovery of one connection.
pub enum Recovery {
    /// Go-back-N, Tahoe, Reno, NewReno.
    Classic(classic::Classic),
    /// RFC 6675.
    Sack(sack::Sack),
    /// ns-2's Sack1.
    Ns2Sack(ns2_sack::Ns2Sack),
    /// RFC 8985 as Linux has it. It remembers more than the others, which need not make room.
    Rack(Box<rack::Rack>),
    /// RFC 9002, likewise.
    Quic(Box<quic::Quic>),
}

macro_rules! dispatch {
    ($self:expr, $r:ident => $e:expr) => {
        match $self {
            Recovery::Classic($r) => $e,
            Recovery::Sack($r) => $e,
            Recovery::Ns2Sack($r) => $e,
            Recovery::Rack($r) => $e,
            Recovery::Quic($r) => $e,
        }
    };
}

impl Recovery {
    /// The recovery that a stack asks for.
    pub fn new(stack: &Stack) -> Recovery {
        match stack.recovery {
            RecoveryKind::Sack => Recovery::Sack(sack::Sack::default()),
            RecoveryKind::Ns2Sack => Recovery::Ns2Sack(ns2_sack::Ns2Sack::default()),
            RecoveryKind::Rack => Recovery::Rack(Box::default()),
            RecoveryKind::Quic => Recovery::Quic(Box::default()),
            kind => Recovery::Classic(classic::Classic::new(kind)),
        }
    }

    /// The handshake is over; `lost` where a packet of it was, and that is a congestion event.
    pub fn on_handshake(&mut self, c: &mut Connection, lost: bool, now: Time) {
        if let Recovery::Quic(quic) = self {
            quic.on_handshake(c, lost, now);
        }
    }

    /// An acknowledgement has arrived.
    pub fn on_ack(&mut self, c: &mut Connection, ack: &Ack, carried: Carried, now: Time) {
        match (self, ack) {
            (Recovery::Classic(r), Ack::Bytes(ack)) => r.on_ack(c, ack, carried, now),
            (Recovery::Sack(r), Ack::Bytes(ack)) => r.on_ack(c, ack, carried, now),
            (Recovery::Ns2Sack(r), Ack::Bytes(ack)) => r.on_ack(c, ack, carried, now),
            (Recovery::Rack(r), Ack::Bytes(ack)) => r.on_ack(c, ack, carried, now),
            (Recovery::Quic(r), Ack::Numbers(ack)) => r.on_ack(c, ack, carried, now),
            (_, Ack::Bytes(_) | Ack::Numbers(_)) => {
                debug_assert!(false, "both ends have the same stack");
            }
        }
    }

    /// The retransmission timer has expired; the controller has been told.
    pub fn on_timeout(&mut self, c: &mut Connection) {
        dispatch!(self, r => r.on_timeout(c));
    }

    /// Data has been queued or the connection has opened: sending is not tied to an
    /// acknowledgement.
    pub fn on_data(&mut self) {
        dispatch!(self, r => r.on_data());
    }

    /// The segment that may leave next, the pacer's consent apart.
    pub fn plan(&self, c: &Connection) -> Option<Plan> {
        dispatch!(self, r => r.plan(c))
    }

    /// `plan` is being sent. Returns its packet's number, cut off as on the wire; zero where packets
    /// have none.
    pub fn on_sent(&mut self, c: &Connection, plan: Plan, now: Time) -> u32 {
        match self {
            Recovery::Classic(r) => r.on_sent(c, plan),
            Recovery::Sack(r) => r.on_sent(c, plan),
            Recovery::Ns2Sack(r) => r.on_sent(c, plan),
            Recovery::Rack(r) => r.on_sent(c, plan, now),
            Recovery::Quic(r) => return r.on_sent(plan, now),
        }
        0
    }

    /// It has been sent.
    pub fn after_sent(&mut self, c: &Connection, now: Time) {
        match self {
            Recovery::Rack(rack) => rack.after_sent(c, now),
            Recovery::Quic(quic) => quic.after_sent(c),
            _ => {}
        }
    }

    /// When [`on_timer`](Self::on_timer) wants to be called: a timer beside the
    /// retransmission timer.
    pub fn deadline(&self) -> Option<Time> {
        match self {
            Recovery::Rack(rack) => rack.deadline(),
            Recovery::Quic(quic) => quic.deadline(),
            _ => None,
        }
    }

    /// That deadline may have passed. False where the connection is to be given up.
    pub fn on_timer(&mut self, c: &mut Connection, now: Time) -> bool {
        match self {
            Recovery::Rack(rack) => rack.on_timer(c, now),
            Recovery::Quic(quic) => return quic.on_timer(c, now),
            _ => {}
        }
        true
    }

    /// Whether anything of `[start, end)` is known to have arrived beyond what is acknowledged.
    pub fn has_arrived(&self, start: u64, end: u64) -> bool {
        match self {
            Recovery::Classic(_) => false,
            Recovery::Sack(r) => r.has_arrived(start, end),
            Recovery::Ns2Sack(r) => r.has_arrived(start, end),
            Recovery::Rack(r) => r.has_arrived(start, end),
            Recovery::Quic(r) => r.has_arrived(start, end),
        }
    }

    /// Bytes in flight, as this recovery estimates them.
    pub fn pipe(&self, c: &Connection) -> u64 {
        dispatch!(self, r => r.pipe(c))
    }
}
