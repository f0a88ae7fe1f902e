//! What a family of loss detection does.

use super::outcome::{AckOutcome, AckRole, Events};
use crate::connection::Connection;
use crate::info::Info;
use crate::segment::{ByteRange, SegmentRange};
use crate::sent::NewlyAcked;
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire as wire;
use flowstart_wire::{ByteAck, NumberAck};

/// Hands the methods of a detector to a macro. What most families do not need has a default.
macro_rules! for_each_method {
    ($use:ident) => {
        $use! {
    /// The handshake ends in the first data packet.
    fn on_first_packet_shared(&mut self, _c: &Connection) {}

    /// What leaves is a server's flight, whose first packet number space ends here in the stream; `None`
    /// once its handshake is over.
    fn on_serving(&mut self, _first_space: Option<u64>) {}

    /// The server's limit of three times what has come keeps it from sending: what is out does not
    /// let the window grow.
    fn on_amplification_limit(&mut self, _c: &mut Connection) {}

    /// The handshake is over; `lost` where a packet of it was, and that is a congestion event.
    fn on_handshake(&mut self, _c: &mut Connection, _lost: bool) -> Option<Events> {
        None
    }

    /// The end of a client's handshake has left, in a separate packet.
    fn on_end_of_handshake(&mut self, _c: &Connection, _now: Instant) {}

    /// An acknowledgement of positions has arrived, which reports this for the first time. `None`
    /// where that is nothing. Its signal has the bytes by which SND.UNA moved, as if nothing else
    /// had arrived; round trip, flight and what differs are set here.
    fn on_ack(&mut self, _c: &mut Connection, _newly: &NewlyAcked, _ack: &ByteAck, _signal: &mut Signal) -> Option<AckOutcome> {
        debug_assert!(false, "both ends have the same stack");
        None
    }

    /// An acknowledgement of packet numbers has arrived.
    fn on_numbers(&mut self, _c: &mut Connection, _ack: &NumberAck, _signal: &mut Signal) -> Option<AckOutcome> {
        None
    }

    /// An acknowledgement has come that another has overtaken. Whether it counts, since it may
    /// still report first what has arrived above a hole (RFC 2018 §5.1).
    fn on_overtaken_ack(&mut self, _c: &Connection) -> bool {
        false
    }

    /// Whether the detector has nothing to find out, repair or send but new data, so that an
    /// ACK of new data that reports nothing else can go to [`on_plain_ack`](Self::on_plain_ack).
    fn is_steady(&self, _c: &Connection) -> bool {
        false
    }

    /// What is left of [`on_ack`](Self::on_ack) in the steady state: SND.UNA has moved past
    /// segments that were sent once, the last of them at `sent`.
    fn on_plain_ack(&mut self, _c: &mut Connection, _sent: Instant, _signal: &mut Signal) {}

    /// The acknowledgement with this role and signal brings a mark back. Whether the window comes down
    /// for it here; otherwise the controller hears of the mark as it grows.
    fn on_mark(&mut self, _c: &mut Connection, _role: &mut Option<AckRole>, _signal: &mut Signal) -> bool {
        false
    }

    /// The outcome of an acknowledgement has been applied.
    fn after_ack(&mut self, _c: &mut Connection, _advanced: bool, _now: Instant) {}

    /// Whether the window has come down for what is out already, so that a timeout lowers no
    /// threshold.
    fn has_reduced(&self, _c: &Connection) -> bool {
        false
    }

    /// The retransmission timer has expired; the controller has been notified. `again` where
    /// nothing has been acknowledged since it did so before.
    fn on_timeout(&mut self, _c: &mut Connection, _again: bool) {}

    /// Data has been queued or the connection has opened: sending is not tied to an
    /// acknowledgement.
    fn on_data(&mut self) {}

    /// Returns the segment that may leave next, if the pacer consents.
    fn plan(&self, _c: &Connection) -> Option<SegmentRange> {
        None
    }

    /// `segment` is about to be sent.
    fn on_sent(&mut self, _c: &mut Connection, _segment: SegmentRange, _now: Instant) {}

    /// A packet without data that is due, where no other is.
    fn answer(&mut self, _c: &mut Connection, _now: Instant) -> Option<wire::Packet> {
        None
    }

    /// A packet without data that reports the limit which stops the sender.
    fn report_blocked(&mut self, _c: &mut Connection, _now: Instant) -> Option<wire::Packet> {
        None
    }

    /// Whether `segment` leaves now, where new data waits until there is enough of it for a burst.
    fn may_leave(&mut self, _c: &mut Connection, _segment: SegmentRange, _now: Instant) -> bool {
        true
    }

    /// A segment of this range has been sent.
    fn after_sent(&mut self, _c: &mut Connection, _range: ByteRange, _now: Instant) {}

    /// When to call [`on_timer`](Self::on_timer): a timer besides the
    /// retransmission timer.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// That deadline may have passed.
    fn on_timer(&mut self, _c: &mut Connection, _now: Instant) -> Option<Events> {
        None
    }

    /// Whether so many consecutive timers have expired that the connection is to be given up.
    fn gives_up(&self, _c: &Connection) -> bool {
        false
    }

    /// Whether anything of `[start, end)` is known to have arrived beyond what is acknowledged.
    fn has_arrived(&self, c: &Connection, start: u64, end: u64) -> bool {
        c.sent().has_arrived(start, end)
    }

    /// Whether cwnd counts as the limit of what was sent (`tcp_is_cwnd_limited`).
    fn is_cwnd_limited(&self, _c: &Connection) -> bool {
        false
    }

    /// What is in flight, and what has become of it, as Linux reports it.
    fn info(&self, _c: &Connection) -> Option<Info> {
        None
    }

    /// Bytes in flight, as this detector estimates them.
    fn pipe(&self, c: &Connection) -> u64 {
        c.sent().in_flight()
    }
        }
    };
}

macro_rules! declare {
    ($(
        $(#[$doc:meta])*
        fn $name:ident(&$($self:ident)+ $(, $argument:ident: $type:ty)*) $(-> $result:ty)? { $($default:tt)* }
    )*) => {
        /// A family of loss detection.
        pub(crate) trait LossDetector {
            $(
                $(#[$doc])*
                fn $name(&$($self)+ $(, $argument: $type)*) $(-> $result)? { $($default)* }
            )*
        }
    };
}

for_each_method!(declare);
