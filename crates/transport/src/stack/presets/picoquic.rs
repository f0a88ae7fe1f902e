//! picoquic.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const PICOQUIC: Preset = preset(
    "picoquic",
    Stack::picoquic,
    "picoquic 1.1.52, a QUIC stack in C, whose window follows round trips above 100 ms",
)
.without(OMISSIONS);

/// The rules that the preset leaves out.
const OMISSIONS: &[Omission] = &[
    Omission::of(
        Touches::Startup,
        "quicctx.c, sender.c",
        "datagrams have 1252 bytes until a probe has found 1440",
    )
    .unless("mss"),
    Omission::of(
        Touches::Startup,
        "cubic.c, cc_common.c 210-222",
        "the window grows only if it, and not the peer's, stopped the last packet",
    )
    .under("cubic"),
    Omission::of(
        Touches::Startup,
        "newreno.c",
        "slow start ends when round trips rise by a quarter: `hystart` does so under this preset",
    )
    .under("reno")
    .with("slow-start"),
    Omission::of(
        Touches::Acknowledgements,
        "frames.c",
        "after 128 packets an ACK covers 4 to 64 packets",
    ),
    Omission::of(
        Touches::Loss,
        "newreno.c",
        "acknowledgements let the window grow during a recovery too",
    )
    .under("reno"),
    Omission::of(
        Touches::Loss,
        "cubic.c",
        "CUBIC keeps 7/8 of the window, and ignores single losses",
    )
    .under("cubic"),
];

impl Stack {
    /// picoquic 1.1.52 (private-octopus/picoquic at d199d45, paths below picoquic).
    pub fn picoquic() -> Stack {
        // picoquic_internal.h, PICOQUIC_PRACTICAL_MAX_MTU: what probes of the path MTU find.
        let base = Stack::quic_in_packets_of(1440 + UDP_IP);
        // picoquic_internal.h, PICOQUIC_INITIAL_RETRANSMIT_TIMER.
        let initial = Duration::from_millis(250);
        Stack {
            preset: "picoquic",
            receive_window: Stack::receiving_as(ReceiverName::Picoquic),
            convention: Convention {
                hystart: HyStartVariant::Picoquic,
                raises_window: true,
                ..Convention::QUIC
            },
            window: WindowOptions {
                // picoquic_internal.h, PICOQUIC_CWIN_INITIAL: ten times 1536 bytes.
                initial: InitialWindow::Bytes(15_360),
                // sender.c reports idle times; newreno.c and cubic.c have no rule for them.
                restart: Restart::Keep,
                // newreno.c 101-120: the check whether the window is used is commented out.
                grow_when_app_limited: true,
                ..base.window
            },
            pacing: PacingOptions {
                rule: Pacing::TokenBucket(Bucket::Picoquic),
                ..base.pacing
            },
            receiver: ReceiverOptions {
                // frames.c, `picoquic_ack_gap_override_if_needed`: of the first 128 packets;
                // picoquic_internal.h, PICOQUIC_ACK_DELAY_MAX.
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(10),
                },
                ..base.receiver
            },
            messages: MessageOptions {
                // `sender.c`: a datagram is prepared where a full one fits.
                amplification: Amplification::Fits,
                // picoquic_internal.h, PICOQUIC_INITIAL_MAX_RETRANSMIT_TIMER.
                timeout_max: Some(Duration::from_secs(1)),
                ..MessageOptions::NONE
            },
            rto: Arc::new(RtoParams {
                initial,
                after_syn_loss: initial,
                // picoquic_internal.h, PICOQUIC_MIN_RETRANSMIT_TIMER.
                min: Duration::from_millis(50),
                ..(*base.rto).clone()
            }),
            // picoquic.h, PICOQUIC_DEFAULT_CONGESTION_ALGORITHM.
            cc: "reno",
            ..base
        }
    }
}
