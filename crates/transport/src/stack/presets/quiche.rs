//! quiche.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const QUICHE: Preset = preset(
    "quiche",
    Stack::quiche,
    "quiche 0.30, a QUIC stack in Rust without pacer under CUBIC and Reno",
);

impl Stack {
    /// quiche 0.30.0 with its own congestion control, and without pacer: CUBIC and Reno send at once
    /// (`recovery/congestion/recovery.rs`, `get_packet_send_time`). A STREAM frame has a length
    /// (`frame.rs`), and so two bytes more than `quic` has.
    pub fn quiche() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "quiche",
            messages: MessageOptions {
                // `lib.rs`: only early 0-RTT packets are kept.
                keeps_early: 0,
                ..MessageOptions::NONE
            },
            receive_window: Stack::receiving_as(ReceiverName::Quiche),
            convention: Convention {
                cubic: CubicVariant::Quiche,
                count_after_loss: CountAfterLoss::HalfWindow,
                judging: Judging::Quiche,
                ..Convention::QUIC
            },
            framing: Framing {
                mss: base.framing.mss - 2,
                header: base.framing.header + 2,
                // BoringSSL's key share takes two Initial packets each way (measured).
                opening: 2 * base.framing.opening,
                ..base.framing
            },
            window: WindowOptions {
                // DEFAULT_INITIAL_CONGESTION_WINDOW_PACKETS (`lib.rs`), datagrams of the configured size.
                initial: InitialWindow::Segments(10),
                // `recovery/congestion/cubic.rs`, `on_packet_sent`: only the curve is moved.
                restart: Restart::Keep,
                // `update_app_limited` (`lib.rs`, `send_single`; `recovery/congestion/mod.rs`).
                app_limited_when_drained: true,
                on_loss: LossResponse::PrrAboveWindow,
                filling: Some(Filling {
                    // A short header of 10 bytes, a tag of 16, and more than MAX_STREAM_OVERHEAD
                    // (`frame.rs`).
                    least: 10 + 16 + 12 + 1,
                    // An Initial packet with an ACK frame (measured).
                    uncounted: 48,
                }),
                // A Handshake packet with the client's Finished (measured).
                end_of_handshake: 87,
                ..base.window
            },
            receiver: ReceiverOptions {
                // `lib.rs`, `send_single`: an ACK leaves with the next call, which follows each datagram.
                // The peer still counts on the `max_ack_delay` of 25 ms (`transport_params.rs`).
                ack: AckPolicy::Delayed {
                    every: 1,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            recovery: RecoveryOptions {
                persistent_congestion: false,
                ..base.recovery
            },
            cc: "cubic",
            ..base
        }
    }
}
