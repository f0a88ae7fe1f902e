//! QUIC by its standards.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const QUIC: Preset = preset(
    "quic",
    Stack::quic,
    "QUIC over UDP and IPv4 by RFC 9000 and 9002, in packets of 1500 bytes",
);

impl Stack {
    /// QUIC over UDP and IPv4 by RFC 9000 and 9002, in packets of 1500 bytes. Next to what is
    /// sent, data takes 20 bytes of IP, 8 of UDP, 11 of a short header (flags, a connection ID of
    /// 8, a packet number of 2), 16 of authentication tag and 6 of a STREAM frame; an
    /// acknowledgement has an ACK frame of 9 in the place of the latter, and more for every range
    /// but the first.
    pub fn quic() -> Stack {
        const PROTECTED: u32 = UDP_IP + 11 + 16;
        let base = Stack::rfc();
        Stack {
            preset: "quic",
            convention: Convention::QUIC,
            framing: Framing {
                mss: 1500 - (PROTECTED + 6),
                header: PROTECTED + 6,
                bare: PROTECTED + 9,
                opening: SMALLEST_INITIAL + UDP_IP,
                ..base.framing
            },
            window: WindowOptions {
                initial: InitialWindow::Rfc9002,
                after_syn_loss: AfterSynLoss::CongestionEvent,
                ..base.window
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            recovery: RecoveryOptions {
                kind: RecoveryKind::Quic,
                ..base.recovery
            },
            receive_window: ReceiveWindowOptions {
                unbounded: true,
                ..base.receive_window
            },
            // kInitialRtt and four times half of it.
            rto: Stack::quic_timer(Duration::from_millis(333 + 2 * 333)),
            ..base
        }
    }

    /// The windows of flow control that a receiver is shipped with.
    pub(super) fn receiving_as(receiver: ReceiverName) -> ReceiveWindowOptions {
        ReceiveWindowOptions {
            receiver,
            ..Stack::quic().receive_window
        }
    }

    /// The preset `quic` in packets of so many bytes.
    pub(super) fn quic_in_packets_of(bytes: u32) -> Stack {
        let quic = Stack::quic();
        Stack {
            framing: Framing {
                mss: bytes - quic.framing.header,
                ..quic.framing
            },
            ..quic
        }
    }

    /// QUIC's timer with this timeout before the first measurement.
    pub(super) fn quic_timer(initial: Duration) -> Arc<RtoParams> {
        Arc::new(RtoParams {
            initial,
            min: Duration::ZERO,
            max: Duration::from_secs(60),
            granularity: Duration::from_millis(1),
            after_syn_loss: initial,
            rule: RttRule::Rfc6298,
            jiffy: None,
        })
    }
}
