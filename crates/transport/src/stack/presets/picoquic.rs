//! picoquic.

use crate::stack::*;

impl Stack {
    /// picoquic 1.1.52 (private-octopus/picoquic at d199d45, paths below picoquic).
    pub fn picoquic() -> Stack {
        // picoquic_internal.h, PICOQUIC_PRACTICAL_MAX_MTU: what probes of the path MTU find.
        let base = Stack::quic_in_packets_of(1440 + UDP_IP);
        // picoquic_internal.h, PICOQUIC_INITIAL_RETRANSMIT_TIMER.
        let initial = Duration::from_millis(250);
        Stack {
            preset: "picoquic",
            window: WindowOptions {
                // picoquic_internal.h, PICOQUIC_CWIN_INITIAL: ten times 1536 bytes.
                initial: InitialWindow::Bytes(15_360),
                // sender.c reports idle times; newreno.c and cubic.c have no rule for them.
                restart: Restart::Keep,
                ..base.window
            },
            // pacing.c, `picoquic_update_pacing_window`: 1.25 windows a round trip in slow start.
            pacing: PacingOptions {
                rule: Pacing::Rfc9002(1.25),
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
