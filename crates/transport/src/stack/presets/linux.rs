//! Linux.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const LINUX: Preset = preset(
    "linux",
    Stack::linux,
    "a current Linux kernel with time stamps, and receive buffers of 32 to 128 MiB",
);

pub(super) const LINUX_5_15: Preset = preset(
    "linux-5.15",
    Stack::linux_5_15,
    "Linux 5.15: as `linux`, but TSO bursts are no larger on paths below 4 ms",
)
.without(OMISSIONS_5_15);

/// The rules that the preset leaves out.
const OMISSIONS_5_15: &[Omission] = &[
    Omission::of(
        Touches::Startup,
        "net/ipv4/tcp_cubic.c, `cubictcp_acked`",
        "HyStart starts no round below 16 segments; 6.1 does",
    )
    .with("hystart"),
    Omission::of(
        Touches::Startup,
        "include/net/tcp.h, `tcp_is_cwnd_limited`",
        "in slow start the window grows while half of it was in flight; in 6.1 also where the window limited the flow earlier in the round",
    ),
    Omission::of(
        Touches::Loss,
        "net/ipv4/tcp_input.c, `tcp_cwnd_reduction`",
        "PRR sends no more than what arrived unless the ACK repaired data",
    ),
    Omission::of(
        Touches::Acknowledgements,
        "net/ipv4/tcp_output.c, `tcp_event_data_sent`",
        "ACKs are delayed after interactive exchanges",
    ),
];

impl Stack {
    /// A current Linux kernel with timestamps, and with receive buffers of 32 MiB that may grow
    /// to 128, as servers that send far and fast are set up.
    pub fn linux() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "linux",
            convention: Convention::LINUX,
            framing: Framing {
                mss: 1448,
                header: 52,
                bare: 52,
                opening: 52,
                ..base.framing
            },
            window: WindowOptions {
                initial: InitialWindow::Segments(10),
                restart: Restart::Linux,
                app_limited_at_acks: false,
                after_syn_loss: AfterSynLoss::TolerateOne,
                ..base.window
            },
            receiver: ReceiverOptions {
                // And at once as long as the advertised window grows, of which a large buffer makes
                // two megabytes.
                ack: AckPolicy::QuickThenDelayed {
                    quick: 16,
                    every: 2,
                    timer: Duration::from_millis(40),
                },
                dsack: true,
                comp_sack_delay: Duration::from_millis(1),
                paws: true,
                echo_at_once: true,
                ..base.receiver
            },
            recovery: RecoveryOptions {
                kind: RecoveryKind::Rack,
                frto: true,
                ..base.recovery
            },
            pacing: PacingOptions {
                by_offload: true,
                tso: true,
                ..base.pacing
            },
            messages: MessageOptions {
                // tcp_syn_linear_timeouts (since 6.5).
                syn_linear: 4,
                ..MessageOptions::NONE
            },
            rto: Arc::new(RtoParams {
                initial: Duration::from_secs(1),
                // TCP_RTO_MIN.
                min: Duration::from_millis(200),
                max: Duration::from_secs(120),
                granularity: Duration::ZERO,
                after_syn_loss: Duration::from_secs(1),
                rule: RttRule::Linux,
                // HZ = 250.
                jiffy: Some(Duration::from_millis(4)),
            }),
            receive_window: ReceiveWindowOptions {
                buffer: Some(ReceiveBuffer {
                    initial: 32 << 20,
                    largest: 128 << 20,
                    share: None,
                }),
                ..base.receive_window
            },
            cc: "cubic",
            ..base
        }
    }

    /// Linux 5.15.16, which computes TSO bursts from the pacing rate only (net/ipv4/tcp_output.c,
    /// `tcp_tso_autosize`): `tcp_tso_rtt_log` is newer.
    pub fn linux_5_15() -> Stack {
        let base = Stack::linux();
        Stack {
            preset: "linux-5.15",
            pacing: PacingOptions {
                tso_by_rtt: false,
                ..base.pacing
            },
            ..base
        }
    }
}
