//! neqo.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const NEQO: Preset = preset(
    "neqo",
    Stack::neqo,
    "neqo 0.30, the QUIC stack of Firefox, which paces at two windows a round trip",
)
.without(OMISSIONS);

/// The rules that the preset leaves out.
const OMISSIONS: &[Omission] = &[Omission::of(
    Touches::Acknowledgements,
    "ackrate.rs",
    "between two neqo endpoints the sender requests four ACKs a round trip; `ack_every` sets a fixed number",
)];

impl Stack {
    /// neqo 0.30.1 (mozilla/neqo at 80ca01e, paths below neqo-transport/src).
    pub fn neqo() -> Stack {
        let base = Stack::quic_in_packets_of(1280);
        Stack {
            preset: "neqo",
            receive_window: Stack::receiving_as(ReceiverName::Neqo),
            convention: Convention {
                cubic: CubicVariant::Neqo,
                judging: Judging::Neqo,
                ..Convention::QUIC
            },
            window: WindowOptions {
                // cc/classic_cc.rs, `cwnd_initial`: RFC 9002 with datagrams of 1252 bytes.
                initial: InitialWindow::Rfc9002,
                // cc/classic_cc.rs: no rule for idle times.
                restart: Restart::Keep,
                used_from: Utilization::HalfInSlowStart,
                ..base.window
            },
            // sender.rs and pace.rs; connection/params.rs, `pacing`.
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::Neqo),
                ..base.pacing
            },
            receiver: ReceiverOptions {
                // tracking.rs: DEFAULT_ACK_PACKET_TOLERANCE and DEFAULT_LOCAL_ACK_DELAY.
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(20),
                },
                ..base.receiver
            },
            recovery: RecoveryOptions {
                // cc/classic_cc.rs, `detect_spurious_congestion_event`.
                undo: Undo::SetEmpties,
                ..base.recovery
            },
            // rtt.rs, DEFAULT_INITIAL_RTT: 100 ms and four times half of it.
            messages: MessageOptions {
                // neqo-transport, `saved.rs`: packets that are kept for each space.
                keeps_early: 4,
                ..MessageOptions::NONE
            },
            rto: Stack::quic_timer(Duration::from_millis(300)),
            // connection/params.rs, `congestion_control`.
            cc: "cubic",
            ..base
        }
    }
}
