//! Simulators: ns-2, and the hosts of a study with OPNET.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const NS2: Preset = preset(
    "ns2",
    Stack::ns2,
    "the one-way agents of ns-2.35, which number packets and acknowledge each of them",
);

pub(super) const OPNET: Preset = preset(
    "opnet",
    Stack::opnet,
    "the hosts of the OPNET study of Modified Swift Start: no SACK, no window scaling",
);

impl Stack {
    /// ns-2.35's one-way agents.
    pub fn ns2() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "ns2",
            convention: Convention::NS2,
            framing: Framing {
                // Its options cost nothing on the wire.
                option: 0,
                ..base.framing
            },
            window: WindowOptions {
                initial: InitialWindow::Segments(2),
                restart: Restart::One,
                grow_when_app_limited: true,
                ..base.window
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Every,
                ..base.receiver
            },
            recovery: RecoveryOptions {
                kind: RecoveryKind::Ns2Sack,
                newreno: NewRenoOptions {
                    max_burst: Some(2),
                    avoids_burst: false,
                    ..base.recovery.newreno
                },
                ..base.recovery
            },
            rto: Arc::new(RtoParams {
                initial: Duration::from_secs(3),
                min: Duration::from_millis(200),
                max: Duration::from_secs(60),
                granularity: Duration::from_millis(10),
                after_syn_loss: Duration::from_secs(3),
                // The phase that ns-2's default random stream gives an agent made before
                // the simulation starts: its second draw.
                rule: RttRule::Ticks {
                    phase: 0.555_880_715_864,
                },
                jiffy: None,
            }),
            ns2: Ns2Quirks {
                grows_leaving_recovery: true,
                counts_duplicates_on: true,
                fast_retransmit_counts: false,
                whole_window: true,
                delays_repetition_of_last: true,
                headerless_first: true,
                whole_segments: true,
                syn_loss_lowers_ssthresh: true,
                syn_backoff_lasts: true,
                trusts_repeated_syn: true,
                acks_when_over: true,
                ..base.ns2
            },
            receive_window: ReceiveWindowOptions {
                limit_packets: Some(100_000),
                unbounded: true,
                ..base.receive_window
            },
            max_timeouts: None,
            ..base
        }
    }

    /// The hosts of the OPNET study of Modified Swift Start, after its table 1: no SACK, fast
    /// retransmit, fast recovery or window scaling, so that 65 535 of the receiver's 100 000
    /// bytes are what it can advertise.
    pub fn opnet() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "opnet",
            window: WindowOptions {
                initial: InitialWindow::Segments(4),
                // The study's longest paths take longer than the first timeout, and its probes
                // leave all the same.
                after_syn_loss: AfterSynLoss::TolerateOne,
                ..base.window
            },
            recovery: RecoveryOptions {
                kind: RecoveryKind::GoBackN,
                limited_transmit: false,
                ..base.recovery
            },
            rto: Arc::new(RtoParams {
                initial: Duration::from_secs(1),
                min: Duration::from_millis(500),
                max: Duration::from_secs(64),
                granularity: Duration(1),
                after_syn_loss: Duration::from_secs(1),
                rule: RttRule::Rfc6298,
                jiffy: None,
            }),
            receive_window: ReceiveWindowOptions {
                limit: Some(100_000),
                scaling: false,
                ..base.receive_window
            },
            ns2: Ns2Quirks {
                trusts_repeated_syn: true,
                ..base.ns2
            },
            ..base
        }
    }
}
