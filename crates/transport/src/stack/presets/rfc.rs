//! The standards of TCP.

use crate::stack::preset::{Preset, preset};
use crate::stack::*;

pub(super) const RFC: Preset = preset(
    "rfc",
    Stack::rfc,
    "the standards as written today: RFC 5681, 6298, 6675, 6928, 3042, 7323",
);

impl Stack {
    /// The standards as written today: RFC 5681, 6298, 6675, 6928, 3042, 7323.
    pub fn rfc() -> Stack {
        Stack {
            preset: "rfc",
            convention: Convention::RFC,
            framing: Framing {
                mss: 1460,
                header: 40,
                bare: 40,
                opening: 40,
                sack_block: 8,
                option: 8,
            },
            handshake: Handshake::OneRtt,
            server_flight: None,
            messages: MessageOptions::NONE,
            window: WindowOptions {
                initial: InitialWindow::Rfc6928,
                app_limited_at_acks: true,
                send_buffer: None,
                restart: Restart::InitialWindow,
                grow_when_app_limited: false,
                used_from: Utilization::Full,
                app_limited_when_drained: false,
                on_loss: LossResponse::Rfc9002,
                stays_below: false,
                filling: None,
                end_of_handshake: 0,
                after_syn_loss: AfterSynLoss::OneSegment,
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Duration::from_millis(200),
                },
                ack_reordering: 1,
                confirmation: 0,
                ack_pacer: 0,
                dsack: false,
                comp_sack_delay: Duration::ZERO,
                paws: false,
                echo_at_once: false,
                delays_syn_ack: false,
                batches: false,
            },
            recovery: RecoveryOptions {
                id_update: 0,
                kind: RecoveryKind::Sack,
                reduction: ReductionKind::Prr,
                sack: true,
                next_seg_rule_3: true,
                next_seg_rule_4: true,
                limited_transmit: true,
                newreno: NewRenoOptions {
                    impatient: true,
                    partial_deflation: true,
                    max_burst: None,
                    avoids_burst: true,
                },
                frto: false,
                undo: Undo::Full,
                timestamps: true,
                persistent_congestion: true,
                ack_delay_without_exponent: false,
                ignores_shortest_samples: false,
                tail_loss_probe: true,
            },
            ns2: Ns2Quirks {
                grows_leaving_recovery: false,
                counts_duplicates_on: false,
                fast_retransmit_counts: true,
                whole_window: false,
                delays_repetition_of_last: false,
                headerless_first: false,
                coarse_pacing: false,
                whole_segments: false,
                syn_loss_lowers_ssthresh: false,
                syn_backoff_lasts: false,
                trusts_repeated_syn: false,
                acks_when_over: false,
            },
            ecn: EcnMode::Off,
            rto: Arc::new(RtoParams {
                initial: Duration::from_secs(1),
                min: Duration::from_secs(1),
                max: Duration::from_secs(60),
                granularity: Duration::from_millis(1),
                after_syn_loss: Duration::from_secs(3),
                rule: RttRule::Rfc6298,
                jiffy: None,
            }),
            pacing: PacingOptions {
                rule: Pacing::None,
                max: None,
                by_offload: false,
                tso: false,
                tso_by_rtt: true,
                batch: 1,
                credit: 0,
            },
            receive_window: ReceiveWindowOptions {
                limit: None,
                limit_packets: None,
                unbounded: false,
                buffer: None,
                scaling: true,
                receiver: ReceiverName::None,
            },
            sharing: SharingOptions {
                kind: Sharing::None,
                lifetime: Duration::from_secs(600),
                cap: f64::INFINITY,
            },
            rate_codes: RateCodes::Powers,
            max_timeouts: Some(15),
            cc: "reno",
            fast_path: true,
        }
    }
}
