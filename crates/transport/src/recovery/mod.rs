//! Loss recovery: one file for each family.
//!
//! A recovery decides what an acknowledgement means, when loss is found, and which
//! segment may leave next. It neither sends nor sets windows by itself: sending is the
//! sender's, the window the controller's.

use super::connection::{Carried, Connection};
use super::numbers::ack_delay;
use super::plan::Plan;
use super::sent::News;
use super::stack::{RecoveryKind, Stack};
use flowstart_control::Time;
use flowstart_wire::{Ack, ByteAck};

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

    /// An acknowledgement has arrived: what it says for the first time is for this recovery to
    /// judge.
    pub fn on_ack(&mut self, c: &mut Connection, ack: &Ack, carried: Carried, now: Time) {
        match ack {
            Ack::Bytes(ack) => match c.take(ack.una(), ack.sack_blocks(), now) {
                Some(news) => self.on_news(c, &news, ack, carried, now),
                None => self.on_stale_ack(),
            },
            Ack::Numbers(ack) => {
                let news = c.take_numbers(ack.numbers(), now);
                if let Recovery::Quic(quic) = self {
                    quic.on_ack(c, &news, ack_delay(ack), carried, now);
                }
            }
        }
    }

    fn on_news(
        &mut self,
        c: &mut Connection,
        news: &News,
        ack: &ByteAck,
        carried: Carried,
        now: Time,
    ) {
        match self {
            Recovery::Classic(r) => r.on_ack(c, news, carried, now),
            Recovery::Sack(r) => r.on_ack(c, news, carried, now),
            Recovery::Ns2Sack(r) => r.on_ack(c, news, ack, carried, now),
            Recovery::Rack(r) => r.on_ack(c, news, carried, now),
            Recovery::Quic(_) => debug_assert!(false, "both ends have the same stack"),
        }
    }

    /// An acknowledgement has arrived that is older than the last.
    fn on_stale_ack(&mut self) {
        if let Recovery::Ns2Sack(r) = self {
            r.on_stale_ack();
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

    /// `plan` is about to be sent.
    pub fn on_sent(&mut self, c: &mut Connection, plan: Plan, now: Time) {
        match self {
            Recovery::Classic(r) => r.on_sent(c, plan),
            Recovery::Sack(r) => r.on_sent(c, plan, now),
            Recovery::Ns2Sack(r) => r.on_sent(c, plan),
            Recovery::Rack(r) => r.on_sent(c, plan, now),
            Recovery::Quic(r) => r.on_sent(c, plan, now),
        }
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
    pub fn has_arrived(&self, c: &Connection, start: u64, end: u64) -> bool {
        match self {
            Recovery::Ns2Sack(r) => r.has_arrived(start, end),
            _ => c.sent.has_arrived(start, end),
        }
    }

    /// Bytes in flight, as this recovery estimates them.
    pub fn pipe(&self, c: &Connection) -> u64 {
        dispatch!(self, r => r.pipe(c))
    }
}
