//! Loss detection: one file for each family.
//!
//! A detector reads the connection's ledger, turns acknowledgements and timers into
//! [`AckOutcome`], marks in the ledger what it takes for lost, and chooses the segment that may
//! leave next. It neither sends nor touches the window: sending is the sender's, the window's fall
//! the
//! [reduction](super::reduction)'s.

use super::connection::Connection;
use super::info::Info;
use super::segment::{ByteRange, SegmentRange};
use super::sent::NewlyAcked;
use super::stack::{RecoveryKind, Stack};
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire as wire;
use flowstart_wire::{Ack, ByteAck, NumberAck};
use outcome::{AckOutcome, AckRole, Events};

pub(crate) use detector::LossDetector;

#[macro_use]
mod detector;
mod dupack;
mod ns2;
pub(crate) mod outcome;
mod rack;
mod rfc6675;
mod rfc9002;

/// The loss detector of one connection. Its tag is a separate byte: one in a gap of a variant takes each
/// dispatch three instructions more.
#[repr(u8)]
pub(crate) enum Detector {
    /// Go-back-N, Tahoe, Reno, NewReno.
    DupAck(dupack::DupAck),
    /// RFC 6675.
    Rfc6675(rfc6675::Rfc6675),
    /// ns-2's Sack1. This and the next two remember more than the others, which need not make room.
    Ns2(Box<ns2::Ns2>),
    /// RFC 8985 as Linux has it.
    Rack(Box<rack::Rack>),
    /// RFC 9002.
    Rfc9002(Box<rfc9002::Rfc9002>),
}

/// Calls a method of the detector that it is.
macro_rules! dispatch {
    (mut $self:ident $call:tt) => { dispatch!($self $call) };
    ($self:ident ($method:ident $($argument:ident)*)) => {
        match $self {
            Detector::DupAck(detector) => detector.$method($($argument),*),
            Detector::Rfc6675(detector) => detector.$method($($argument),*),
            Detector::Ns2(detector) => detector.$method($($argument),*),
            Detector::Rack(detector) => detector.$method($($argument),*),
            Detector::Rfc9002(detector) => detector.$method($($argument),*),
        }
    };
}

/// Implements [`LossDetector`] for [`Detector`] by dispatch.
macro_rules! implement {
    ($(
        $(#[$doc:meta])*
        fn $name:ident(&$($self:ident)+ $(, $argument:ident: $type:ty)*) $(-> $result:ty)? { $($default:tt)* }
    )*) => {
        impl LossDetector for Detector {
            $(
                #[inline(always)]
                fn $name(&$($self)+ $(, $argument: $type)*) $(-> $result)? {
                    dispatch!($($self)+ ($name $($argument)*))
                }
            )*
        }
    };
}

for_each_method!(implement);

impl Detector {
    /// The detector of a stack.
    pub(crate) fn new(stack: &Stack) -> Detector {
        match stack.recovery.kind {
            RecoveryKind::Sack => Detector::Rfc6675(rfc6675::Rfc6675::default()),
            RecoveryKind::Ns2Sack => Detector::Ns2(Box::default()),
            RecoveryKind::Rack => Detector::Rack(Box::default()),
            RecoveryKind::Quic => Detector::Rfc9002(Box::default()),
            kind => Detector::DupAck(dupack::DupAck::new(kind)),
        }
    }

    /// An acknowledgement of what was sent has arrived. `None` where it reports nothing; else what
    /// it reports is in `signal`.
    #[inline]
    pub(crate) fn take_ack(
        &mut self,
        c: &mut Connection,
        ack: &Ack,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        let ack = match ack {
            Ack::Bytes(ack) => ack,
            Ack::Numbers(ack) => return self.on_numbers(c, ack, signal),
        };
        // What was never sent has not arrived (RFC 9293 §3.10.7.4).
        let high = c.high();
        if ack.una() > high || ack.una() < c.una() && !self.on_overtaken_ack(c) {
            return None;
        }
        let blocks = ack.sack_blocks().filter(|(_, end)| *end <= high);
        let reception = c.reception(ack.answers_repetition(), signal.now);
        let newly = c.acknowledge(ack.una(), blocks, reception);
        c.begin_signal(newly.acked, signal);
        self.on_ack(c, &newly, ack, signal)
    }
}
