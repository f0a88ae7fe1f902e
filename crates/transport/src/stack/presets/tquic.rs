//! tquic.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const TQUIC: Preset = preset(
    "tquic",
    Stack::tquic,
    "tquic 1.6, a QUIC stack in Rust, whose default is BBR",
)
.without(OMISSIONS);

/// The rules that the preset leaves out.
const OMISSIONS: &[Omission] = &[
    Omission::of(
        Touches::Startup,
        "lib.rs",
        "datagrams have 1200 bytes until the path MTU is found",
    )
    .unless("mss"),
    Omission::of(
        Touches::Startup,
        "congestion_control/hystart_plus_plus.rs",
        "HyStart++ is on with CUBIC and adds at most 64 packets an ACK: `hystart-plus-plus:l=64`",
    )
    .under("cubic")
    .with("slow-start"),
    Omission::of(
        Touches::Startup,
        "congestion_control/bbr.rs",
        "BBR paces at its own rate without the bucket's bursts",
    )
    .under("bbr"),
];

impl Stack {
    /// tquic 1.6.0 (Tencent/tquic at 2a57740, paths below src).
    pub fn tquic() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "tquic",
            receive_window: Stack::receiving_as(ReceiverName::Tquic),
            window: WindowOptions {
                // lib.rs, `RecoveryConfig::default`: ten times DEFAULT_SEND_UDP_PAYLOAD_SIZE.
                initial: InitialWindow::Bytes(12_000),
                // congestion_control/cubic.rs, `on_sent`, keeps the window over idle times.
                restart: Restart::Keep,
                // connection/recovery.rs 365: no ACK is of an application that leaves the window unused.
                grow_when_app_limited: true,
                ..base.window
            },
            // lib.rs, `enable_pacing`; congestion_control/pacing.rs.
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::Tquic),
                ..base.pacing
            },
            receiver: ReceiverOptions {
                // lib.rs, `ack_eliciting_threshold`; trans_param.rs, `max_ack_delay`.
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            recovery: RecoveryOptions {
                // connection/recovery.rs: spurious losses are not detected.
                undo: Undo::None,
                ..base.recovery
            },
            // lib.rs, `congestion_control_algorithm`.
            cc: "bbr",
            ..base
        }
    }
}
