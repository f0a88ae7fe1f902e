//! quicly.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const QUICLY: Preset = preset(
    "quicly",
    Stack::quicly,
    "quicly at b11d363, the QUIC stack of H2O, without its optional pacer and startups",
)
.without(OMISSIONS);

/// The rules that the preset leaves out.
const OMISSIONS: &[Omission] = &[
    Omission::of(
        Touches::Option,
        "include/quicly/pacer.h",
        "the optional pacer sends two windows a round trip in bursts of 8 to 10 packets; `pacing=rfc9002` sends one by one",
    ),
    Omission::of(
        Touches::Acknowledgements,
        "lib/quicly.c",
        "ACK frequency from the fourth loss on",
    ),
    Omission::of(
        Touches::Loss,
        "lib/cc-cubic.c",
        "CUBIC also grows an unused window",
    )
    .under("cubic"),
];

impl Stack {
    /// quicly (h2o/quicly at b11d363) with the values of `quicly_spec_context`.
    pub fn quicly() -> Stack {
        // lib/defaults.c, DEFAULT_INITIAL_EGRESS_MAX_UDP_PAYLOAD_SIZE: a server raises it only for
        // clients that begin with more (lib/quicly.c).
        let base = Stack::quic_in_packets_of(1280 + UDP_IP);
        Stack {
            preset: "quicly",
            receive_window: Stack::receiving_as(ReceiverName::Quicly),
            convention: Convention {
                cubic: CubicVariant::Quicly,
                count_after_loss: CountAfterLoss::Continues,
                reduces_as_quicly: true,
                ..Convention::QUIC
            },
            window: WindowOptions {
                // lib/defaults.c, DEFAULT_INITCWND_PACKETS and DEFAULT_MAX_UDP_PAYLOAD_SIZE: ten
                // times 1472 bytes (lib/cc-reno.c, `quicly_cc_calc_initial_cwnd`).
                initial: InitialWindow::Bytes(14_720),
                // lib/cc-reno.c and lib/cc-cubic.c keep the window over idle times.
                restart: Restart::Keep,
                // lib/quicly.c, `handle_ack_frame`: `cc_limited`, and `cc_on_acked` before
                // `quicly_loss_detect_loss`.
                used_from: Utilization::Half,
                on_loss: LossResponse::AfterGrowth,
                ..base.window
            },
            // lib/defaults.c, `enable_ratio.pacing`: off by default.
            receiver: ReceiverOptions {
                // include/quicly/constants.h: QUICLY_DEFAULT_PACKET_TOLERANCE and
                // QUICLY_DELAYED_ACK_TIMEOUT.
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(25),
                },
                // lib/quicly.c, `alloc_pn_space`.
                ack_reordering: 1,
                ..base.receiver
            },
            recovery: RecoveryOptions {
                // lib/cc-reno.c: nothing brings the window back.
                undo: Undo::None,
                // lib/cc-reno.c, `quicly_cc_reno_on_persistent_congestion`, does nothing.
                persistent_congestion: false,
                ..base.recovery
            },
            // include/quicly/constants.h, QUICLY_DEFAULT_INITIAL_RTT: three times 66 ms.
            messages: MessageOptions {
                // `quicly.c`: a probe repeats what the Initial space lacks.
                probes_all_spaces: false,
                ..MessageOptions::NONE
            },
            rto: Stack::quic_timer(Duration::from_millis(198)),
            // include/quicly/defaults.h, `quicly_default_init_cc`.
            cc: "reno",
            ..base
        }
    }
}
