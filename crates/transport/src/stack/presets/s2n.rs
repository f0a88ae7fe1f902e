//! s2n-quic.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const S2N: Preset = preset(
    "s2n",
    Stack::s2n,
    "s2n-quic 1.91, a QUIC stack in Rust that acknowledges every tenth packet",
);

pub(super) const S2N_ADAPTER: Preset = preset("s2n-adapter", Stack::s2n_adapter, "");

impl Stack {
    /// s2n-quic 1.91 with its own congestion control and pacer (s2n-quic-core 0.91.0). The initial
    /// window is RFC 9002's (`recovery/cubic.rs`, `initial_window`).
    pub fn s2n() -> Stack {
        let base = Stack::s2n_adapter();
        Stack {
            preset: "s2n",
            messages: MessageOptions {
                // `path/mod.rs`: a datagram may start while any credit is left.
                amplification: Amplification::DatagramStarts,
                // s2n-quic-core, connection/limits.rs, `DEFAULT_PACKET_BUFFER_SIZE`.
                keeps_early: 0,
                // s2n-quic-transport, sync/data_sender.rs, `on_transmit_impl`.
                probes_new_data: true,
                // s2n-quic-core, recovery/pto.rs, `on_timeout`.
                probes_in_pairs: true,
                ..MessageOptions::NONE
            },
            receive_window: Stack::receiving_as(ReceiverName::S2n),
            convention: Convention {
                cubic: CubicVariant::S2n,
                hystart: HyStartVariant::S2n,
                grows_to_twice_the_flight: true,
                ..Convention::QUIC
            },
            framing: Framing {
                // An Initial is padded to a datagram, whatever its size (s2n-quic-transport 0.91.0,
                // connection/transmission.rs, `write_payload`).
                opening: base.packet(),
                ..base.framing
            },
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::S2n),
                ..base.pacing
            },
            window: WindowOptions {
                // No code for an idle time; `app_limited` is false while data waits.
                restart: Restart::Keep,
                app_limited_when_drained: true,
                on_loss: LossResponse::OutsideRecovery,
                ..base.window
            },
            recovery: RecoveryOptions {
                ack_delay_without_exponent: true,
                ignores_shortest_samples: true,
                ..base.recovery
            },
            cc: "cubic",
            ..base
        }
    }

    /// s2n-quic 1.91 with startups of the catalog, which `flowstart-s2n` brings. It acknowledges every
    /// tenth packet (`packet_tolerance`), and undoes nothing.
    pub fn s2n_adapter() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "s2n-adapter",
            recovery: RecoveryOptions {
                undo: Undo::None,
                ..base.recovery
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 10,
                    timer: Duration::from_millis(25),
                },
                ..base.receiver
            },
            ..base
        }
    }
}
