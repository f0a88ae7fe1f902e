//! quinn and noq.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const QUINN: Preset = preset("quinn", Stack::quinn, "quinn 0.11, a QUIC stack in Rust");

pub(super) const NOQ: Preset = preset(
    "noq",
    Stack::noq,
    "noq 1.4, a QUIC stack in Rust, whose pacer holds acknowledgements back too",
);

pub(super) const QUINN_ADAPTER: Preset = preset("quinn-adapter", Stack::quinn_adapter, "");

pub(super) const NOQ_ADAPTER: Preset = preset("noq-adapter", Stack::noq_adapter, "");

impl Stack {
    /// quinn-proto 0.11.19 with its own congestion control and pacer.
    pub fn quinn() -> Stack {
        Stack {
            preset: "quinn",
            receive_window: Stack::receiving_as(ReceiverName::Quinn),
            convention: Convention {
                cubic: CubicVariant::Quinn,
                count_after_loss: CountAfterLoss::Continues,
                bbr: BbrSource::Quinn,
                ..Convention::QUIC
            },
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::Quinn),
                ..Stack::quic().pacing
            },
            window: WindowOptions {
                stays_below: true,
                ..Stack::window_of_quinn()
            },
            receiver: ReceiverOptions {
                // HANDSHAKE_DONE, NEW_CONNECTION_ID and the session tickets.
                confirmation: 169,
                ..Stack::quinn_adapter().receiver
            },
            cc: "cubic",
            ..Stack::quinn_adapter()
        }
    }

    /// noq-proto 1.4.0 with its own congestion control and pacer.
    pub fn noq() -> Stack {
        Stack {
            preset: "noq",
            receive_window: Stack::receiving_as(ReceiverName::Quinn),
            convention: Convention {
                cubic: CubicVariant::Noq,
                count_after_loss: CountAfterLoss::Continues,
                bbr: BbrSource::V3,
                bbr_keeps_nominal_rtt: true,
                ..Convention::QUIC
            },
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::Noq),
                ..Stack::quic().pacing
            },
            window: Stack::window_of_quinn(),
            cc: "cubic",
            ..Stack::noq_adapter()
        }
    }

    /// What quinn and noq have in common (`connection/mod.rs` of both). An idle time does not shrink
    /// the window.
    fn window_of_quinn() -> WindowOptions {
        WindowOptions {
            // CubicConfig and NewRenoConfig: ten datagrams of 1200 bytes.
            initial: InitialWindow::Bytes(12_000),
            restart: Restart::Keep,
            app_limited_when_drained: true,
            on_loss: LossResponse::AfterGrowth,
            // 51 of an Initial packet that acknowledges, 105 of the Handshake packet with FINISHED.
            end_of_handshake: 156,
            ..Stack::quic().window
        }
    }

    /// Packets without keys are dropped, and a datagram may start while any credit is left
    /// (`connection/mod.rs` of both).
    fn messages_of_quinn() -> MessageOptions {
        MessageOptions {
            amplification: Amplification::DatagramStarts,
            keeps_early: 0,
            // `connection/mod.rs`, `on_loss_detection_timeout`: of the space whose timer has expired.
            probes_all_spaces: false,
            ..MessageOptions::NONE
        }
    }

    /// quinn 0.11 with startups of the catalog, which `flowstart-quinn` brings. What confirms the
    /// handshake acknowledges the data behind its end too, so the first packet is acknowledged at once
    /// and the others in pairs from the second on. Nothing is undone.
    pub fn quinn_adapter() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "quinn-adapter",
            messages: Stack::messages_of_quinn(),
            recovery: RecoveryOptions {
                undo: Undo::None,
                // 28 of NEW_CONNECTION_ID, 28 of UDP and IP, and what a packet with an acknowledgement has.
                id_update: 90,
                ..base.recovery
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::QuickThenDelayed {
                    quick: 1,
                    every: 2,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            ..base
        }
    }

    /// noq 1.4 with startups of the catalog, which `flowstart-quinn` brings. Its pacer holds
    /// acknowledgements back too: behind NEW_CONNECTION_ID, HANDSHAKE_DONE and the session tickets, 195
    /// bytes. A loss that was none is undone.
    pub fn noq_adapter() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "noq-adapter",
            messages: Stack::messages_of_quinn(),
            receiver: ReceiverOptions {
                ack_pacer: 195,
                ..base.receiver
            },
            recovery: RecoveryOptions {
                undo: Undo::SetEmpties,
                ..base.recovery
            },
            ..base
        }
    }
}
