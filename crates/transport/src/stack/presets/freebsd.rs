//! FreeBSD.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const FREEBSD_14: Preset = preset(
    "freebsd-14",
    Stack::freebsd_14,
    "FreeBSD 14 with its default TCP stack: CUBIC, neither RACK nor HyStart++",
)
.without(OMISSIONS);

/// The rules that the preset leaves out.
const OMISSIONS: &[Omission] = &[
    Omission::of(
        Touches::Loss,
        "cc/cc_cubic.c, `cubic_ssthresh_update`",
        "the first loss halves the window of CUBIC, later ones keep 0.7",
    )
    .under("cubic"),
    Omission::of(Touches::Loss, "tcp_input.c", "PRR in recovery"),
    Omission::of(
        Touches::Loss,
        "tcp_timer.h, `TCPT_RANGESET`",
        "the timeout is 200 ms above what was measured; in the preset the variation counts as at least 200 ms",
    ),
    Omission::of(
        Touches::Idle,
        "cc/cc.c",
        "after an idle time the threshold rises to three quarters of the window",
    ),
    Omission::of(
        Touches::Option,
        "tcp_stacks/rack.c",
        "the RACK stack, a module that paces and allows HyStart++",
    ),
];

impl Stack {
    /// FreeBSD 14.0 (14-STABLE as in ilnp/ilnp-freebsd14 at 2f2a416, paths below sys/netinet) with
    /// its default TCP stack, which has neither RACK nor HyStart++: only tcp_stacks/rack.c sets
    /// CCF_HYSTART_ALLOWED.
    pub fn freebsd_14() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "freebsd-14",
            // With timestamps, as Linux.
            framing: Stack::linux().framing,
            window: WindowOptions {
                // tcp_input.c, `tcp_initcwnd_segments` and `tcp_compute_initwnd`.
                initial: InitialWindow::Rfc6928,
                // cc/cc.c, `newreno_cc_after_idle`.
                restart: Restart::InitialWindow,
                // tcp_input.c, `cc_conn_init`.
                after_syn_loss: AfterSynLoss::OneSegment,
                ..base.window
            },
            receiver: ReceiverOptions {
                // tcp_timer.h, TCPTV_DELACK; tcp_input.c, DELAY_ACK.
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(40),
                },
                ..base.receiver
            },
            rto: Arc::new(RtoParams {
                // tcp_timer.h, TCPTV_RTOBASE.
                initial: Duration::from_secs(1),
                after_syn_loss: Duration::from_secs(1),
                // TCPTV_MIN: a 33rd of a second.
                min: Duration::from_millis(30),
                // TCPTV_CPU_VAR, which TCPT_RANGESET adds.
                granularity: Duration::from_millis(200),
                // TCPTV_REXMTMAX.
                max: Duration::from_secs(64),
                ..(*base.rto).clone()
            }),
            // tcp_timer.h, TCP_MAXRXTSHIFT.
            max_timeouts: Some(12),
            // cc/cc.c, CC_DEFAULT.
            cc: "cubic",
            ..base
        }
    }
}
