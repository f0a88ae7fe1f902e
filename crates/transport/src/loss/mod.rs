//! Loss detection: one file for each family.
//!
//! A detector reads the connection's ledger, turns acknowledgements and timers into
//! [`AckOutcome`], marks in the ledger what it takes for lost, and chooses the segment that may
//! leave next. It neither sends nor touches the window: sending is the sender's, the window's fall
//! the
//! [reduction](super::reduction)'s.

use super::connection::Connection;
use super::info::Info;
use super::numbers::ack_delay;
use super::segment::{ByteRange, SegmentRange};
use super::sent::NewlyAcked;
use super::stack::{RecoveryKind, Stack};
use flowstart_control::Instant;
use flowstart_wire::{Ack, ByteAck, Packet};
use outcome::AckOutcome;

mod dupack;
mod ns2;
pub mod outcome;
mod rack;
mod rfc6675;
mod rfc9002;

/// The loss detector of one connection.
pub enum Loss {
    /// Go-back-N, Tahoe, Reno, NewReno.
    DupAck(dupack::DupAck),
    /// RFC 6675.
    Rfc6675(rfc6675::Rfc6675),
    /// ns-2's Sack1.
    Ns2(ns2::Ns2),
    /// RFC 8985 as Linux has it. It remembers more than the others, which need not make room.
    Rack(Box<rack::Rack>),
    /// RFC 9002, likewise.
    Rfc9002(Box<rfc9002::Rfc9002>),
}

macro_rules! dispatch {
    ($self:expr, $r:ident => $e:expr) => {
        match $self {
            Loss::DupAck($r) => $e,
            Loss::Rfc6675($r) => $e,
            Loss::Ns2($r) => $e,
            Loss::Rack($r) => $e,
            Loss::Rfc9002($r) => $e,
        }
    };
}

impl Loss {
    /// The detector of a stack.
    pub fn new(stack: &Stack) -> Loss {
        match stack.recovery.kind {
            RecoveryKind::Sack => Loss::Rfc6675(rfc6675::Rfc6675::default()),
            RecoveryKind::Ns2Sack => Loss::Ns2(ns2::Ns2::default()),
            RecoveryKind::Rack => Loss::Rack(Box::default()),
            RecoveryKind::Quic => Loss::Rfc9002(Box::default()),
            kind => Loss::DupAck(dupack::DupAck::new(kind)),
        }
    }

    /// The handshake ends in the first data packet.
    pub fn on_first_packet_shared(&mut self, c: &Connection) {
        if let Loss::Rfc9002(r) = self {
            r.on_first_packet_shared(c);
        }
    }

    /// The handshake is over; `lost` where a packet of it was, and that is a congestion event.
    pub fn on_handshake(&mut self, c: &mut Connection, lost: bool) -> Option<AckOutcome> {
        match self {
            Loss::Rfc9002(r) => r.on_handshake(c, lost),
            Loss::Rack(r) => {
                r.on_handshake(c);
                None
            }
            _ => None,
        }
    }

    /// An acknowledgement has arrived. `None` where it reports nothing.
    #[inline]
    pub fn on_ack(&mut self, c: &mut Connection, ack: &Ack, now: Instant) -> Option<AckOutcome> {
        match ack {
            Ack::Bytes(ack) => {
                // What was never sent has not arrived (RFC 9293 §3.10.7.4).
                let high = c.high();
                if ack.una() > high {
                    return None;
                }
                if ack.una() < c.una() && !self.heeds_overtaken_ack(c) {
                    return None;
                }
                let blocks = ack.sack_blocks().filter(|(_, end)| *end <= high);
                let reception = c.reception(ack.answers_repetition(), now);
                let newly = c.acknowledge(ack.una(), blocks, reception);
                self.on_news(c, &newly, ack, now)
            }
            Ack::Numbers(ack) => {
                let una = c.una();
                let mut newly = c.acknowledge_packets(ack.numbers(), now);
                match self {
                    Loss::Rfc9002(r) => {
                        let late = r.note_late(c, ack.numbers(), now);
                        newly.acked = c.una() - una;
                        r.on_ack(c, &newly, late, ack_delay(ack), now)
                    }
                    _ => None,
                }
            }
        }
    }

    /// Whether the detector has nothing to find out, repair or send but new data, so that an
    /// ACK of new data that reports nothing else can go to [`on_plain_ack`](Self::on_plain_ack).
    #[inline]
    pub fn is_steady(&self, c: &Connection) -> bool {
        match self {
            Loss::Rack(r) => r.is_steady(c),
            Loss::Rfc6675(r) => r.is_steady(c),
            _ => false,
        }
    }

    /// What is left of [`on_ack`](Self::on_ack) in the steady state: SND.UNA has moved past
    /// segments that were sent once, the last of them at `sent`. Whether the window was the limit,
    /// where the detector keeps account of that itself.
    #[inline]
    pub fn on_plain_ack(
        &mut self,
        c: &mut Connection,
        sent: Instant,
        now: Instant,
    ) -> Option<bool> {
        match self {
            Loss::Rack(r) => Some(r.on_plain_ack(c, sent, now)),
            Loss::Rfc6675(r) => {
                r.on_plain_ack(c, now);
                None
            }
            _ => None,
        }
    }

    #[inline]
    fn on_news(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        ack: &ByteAck,
        now: Instant,
    ) -> Option<AckOutcome> {
        match self {
            Loss::DupAck(r) => r.on_ack(c, newly, now),
            Loss::Rfc6675(r) => r.on_ack(c, newly, ack.answers_repetition(), now),
            Loss::Ns2(r) => r.on_ack(c, newly, ack, now),
            Loss::Rack(r) => r.on_ack(c, newly, ack, now),
            Loss::Rfc9002(_) => {
                debug_assert!(false, "both ends have the same stack");
                None
            }
        }
    }

    /// An acknowledgement has come that another has overtaken. Whether it counts, since it may
    /// still report first what has arrived above a hole (RFC 2018 §5.1).
    #[cold]
    fn heeds_overtaken_ack(&mut self, c: &Connection) -> bool {
        match self {
            Loss::Ns2(r) => r.on_stale_ack(),
            Loss::Rack(r) => r.note_overtaken(),
            Loss::DupAck(_) | Loss::Rfc6675(_) | Loss::Rfc9002(_) => {}
        }
        c.stack().recovery.sack && matches!(self, Loss::Rack(_) | Loss::Rfc6675(_))
    }

    /// The acknowledgement that led to `found` brings a mark back. Whether the window comes down
    /// for it here; otherwise the controller hears of the mark as it grows.
    pub fn on_mark(&mut self, c: &mut Connection, found: &mut AckOutcome) -> bool {
        match self {
            Loss::Rack(r) => r.on_mark(c, found),
            Loss::Rfc9002(r) => r.on_mark(c, found),
            _ => false,
        }
    }

    /// The outcome have been answered.
    #[inline]
    pub fn after_ack(&mut self, c: &mut Connection, advanced: bool, now: Instant) {
        match self {
            Loss::Rack(r) => r.set_timers(c, advanced, now),
            Loss::Rfc9002(r) => r.set_timer(c),
            _ => {}
        }
    }

    /// Whether the window has come down for what is out already, so that a timeout lowers no
    /// threshold.
    pub fn has_reduced(&self, c: &Connection) -> bool {
        match self {
            Loss::Rack(r) => r.has_reduced(c),
            _ => false,
        }
    }

    /// The retransmission timer has expired; the controller has been notified. `again` where
    /// nothing has been acknowledged since it did so before.
    pub fn on_timeout(&mut self, c: &mut Connection, again: bool) {
        match self {
            Loss::DupAck(r) => r.on_timeout(c),
            Loss::Rfc6675(r) => r.on_timeout(c),
            Loss::Ns2(r) => r.on_timeout(c),
            Loss::Rack(r) => r.on_timeout(c, again),
            Loss::Rfc9002(r) => r.on_timeout(c),
        }
    }

    /// Data has been queued or the connection has opened: sending is not tied to an
    /// acknowledgement.
    pub fn on_data(&mut self) {
        match self {
            Loss::DupAck(r) => r.on_data(),
            Loss::Ns2(r) => r.on_data(),
            _ => {}
        }
    }

    /// Returns the segment that may leave next, if the pacer consents.
    #[inline(always)]
    pub fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        dispatch!(self, r => r.plan(c))
    }

    /// `segment` is about to be sent.
    #[inline(always)]
    pub fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        match self {
            Loss::DupAck(r) => r.on_sent(c, segment.range),
            Loss::Rfc6675(r) => r.on_sent(c, segment, now),
            Loss::Ns2(r) => r.on_sent(c, segment.range),
            Loss::Rack(r) => r.on_sent(c, segment, now),
            Loss::Rfc9002(r) => r.on_sent(c, segment.range, now),
        }
    }

    /// A packet without data that is due, where no other is.
    pub fn answer(&mut self, c: &mut Connection, now: Instant) -> Option<Packet> {
        match self {
            Loss::Rfc9002(r) => r.answer(c, now),
            _ => None,
        }
    }

    /// Whether `segment` leaves now, where new data waits until there is enough of it for a burst.
    #[inline(always)]
    pub fn may_leave(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) -> bool {
        match self {
            Loss::Rack(r) => r.may_leave(c, segment, now),
            _ => true,
        }
    }

    /// It has been sent.
    pub fn after_sent(&mut self, c: &mut Connection, plan: ByteRange, now: Instant) {
        match self {
            Loss::DupAck(r) => r.after_sent(c, plan),
            Loss::Rack(r) => r.after_sent(c, now),
            Loss::Rfc9002(r) => r.restart_timer(c),
            _ => {}
        }
    }

    /// When to call [`on_timer`](Self::on_timer): a timer besides the
    /// retransmission timer.
    pub fn deadline(&self) -> Option<Instant> {
        match self {
            Loss::Rack(r) => r.deadline(),
            Loss::Rfc9002(r) => r.deadline(),
            _ => None,
        }
    }

    /// That deadline may have passed.
    pub fn on_timer(&mut self, c: &mut Connection, now: Instant) -> Option<AckOutcome> {
        match self {
            Loss::Rack(r) => r.on_timer(c, now),
            Loss::Rfc9002(r) => r.on_timer(c, now),
            _ => None,
        }
    }

    /// Whether so many consecutive timers have expired that the connection is to be given up.
    pub fn gives_up(&self, c: &Connection) -> bool {
        match self {
            Loss::Rfc9002(r) => r.gives_up(c),
            _ => false,
        }
    }

    /// Whether anything of `[start, end)` is known to have arrived beyond what is acknowledged.
    pub fn has_arrived(&self, c: &Connection, start: u64, end: u64) -> bool {
        match self {
            Loss::Ns2(r) => r.has_arrived(start, end),
            _ => c.sent().has_arrived(start, end),
        }
    }

    /// What is in flight, and what has become of it, as Linux reports it.
    pub fn info(&self, c: &Connection) -> Option<Info> {
        match self {
            Loss::Rack(r) => Some(r.info(c)),
            _ => None,
        }
    }

    /// Bytes in flight, as this detector estimates them.
    #[inline]
    pub fn pipe(&self, c: &Connection) -> u64 {
        dispatch!(self, r => r.pipe(c))
    }
}
