//! A stack: a whole set of endpoint behaviours, as a plain struct with presets.

mod options;

pub use options::{
    EcnMode, Framing, NewRenoOptions, Ns2Quirks, Pacing, PacingOptions, ReceiveWindowOptions,
    ReceiverOptions, RecoveryKind, RecoveryOptions, Restart, Sharing, SharingOptions, Undo,
    WindowOptions,
};

use super::handshake::{Handshake, SMALLEST_INITIAL};
use super::receive_window::{Field, Growth, ReceiveBuffer, ReceiveWindow};
use super::receiver::{AckPolicy, ReceiverConfig, WindowField};
use super::rtt::{RtoParams, Ticks};
use flowstart_control::{AfterSynLoss, Convention, InitialWindow, RateCodes, Time};
use flowstart_wire::UNLIMITED_WINDOW;
use std::sync::Arc;

/// Everything about an endpoint that is not its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The preset's name.
    pub preset: &'static str,
    /// Whose defaults algorithms take. The stack itself never asks.
    pub convention: Convention,
    /// Sizes of packets, in bytes.
    pub framing: Framing,
    /// What is said before data leaves.
    pub handshake: Handshake,
    /// Bytes of what a server says first, its certificates among it, where they could be too
    /// many for one round trip.
    pub server_flight: Option<u32>,
    /// How the congestion window begins, and what happens to it besides loss.
    pub window: WindowOptions,
    /// What the receiver acknowledges, and when.
    pub receiver: ReceiverOptions,
    /// How loss is found and repaired.
    pub recovery: RecoveryOptions,
    /// What only ns-2 does, but for a study that shares some of it.
    pub ns2: Ns2Quirks,
    /// What both ends make of congestion marks.
    pub ecn: EcnMode,
    /// Retransmission timeout.
    pub rto: Arc<RtoParams>,
    /// How packets are spaced out where a startup does not.
    pub pacing: PacingOptions,
    /// What the receiver advertises.
    pub receive_window: ReceiveWindowOptions,
    /// What connections leave behind for each other.
    pub sharing: SharingOptions,
    /// How Quick-Start's rates are coded.
    pub rate_codes: RateCodes,
    /// Consecutive timeouts after which a connection is given up; `None` for never.
    pub max_timeouts: Option<u32>,
    /// The congestion control where a flow names none.
    pub cc: &'static str,
}

/// The names of the presets.
pub const PRESETS: [&str; 8] = [
    "rfc", "ns2", "opnet", "linux", "quic", "quinn", "noq", "s2n",
];

impl Stack {
    /// The preset of this name.
    pub fn preset(name: &str) -> Option<Stack> {
        match name {
            "rfc" => Some(Stack::rfc()),
            "ns2" => Some(Stack::ns2()),
            "opnet" => Some(Stack::opnet()),
            "linux" => Some(Stack::linux()),
            "quic" => Some(Stack::quic()),
            "quinn" => Some(Stack::quinn()),
            "noq" => Some(Stack::noq()),
            "s2n" => Some(Stack::s2n()),
            _ => None,
        }
    }

    /// The standards as written today: RFC 5681, 6298, 6675, 6928, 3042, 7323.
    pub fn rfc() -> Stack {
        Stack {
            preset: "rfc",
            convention: Convention::Rfc,
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
            window: WindowOptions {
                initial: InitialWindow::Rfc6928,
                app_limited_at_acks: true,
                send_buffer: None,
                restart: Restart::InitialWindow,
                grow_when_app_limited: false,
                after_syn_loss: AfterSynLoss::OneSegment,
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Time::from_millis(200),
                },
                ack_reordering: 1,
                ack_pacer: 0,
                dsack: false,
                comp_sack_delay: Time::ZERO,
                paws: false,
                echo_at_once: false,
                delays_syn_ack: false,
            },
            recovery: RecoveryOptions {
                id_update: 0,
                kind: RecoveryKind::Sack,
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
                initial: Time::from_secs(1),
                min: Time::from_secs(1),
                max: Time::from_secs(60),
                granularity: Time::from_millis(1),
                after_syn_loss: Time::from_secs(3),
                ticks: None,
                jiffy: None,
            }),
            pacing: PacingOptions {
                rule: Pacing::None,
                by_offload: false,
                tso: false,
            },
            receive_window: ReceiveWindowOptions {
                limit: None,
                limit_packets: None,
                unbounded: false,
                buffer: None,
                scaling: true,
            },
            sharing: SharingOptions {
                kind: Sharing::None,
                lifetime: Time::from_secs(600),
                cap: f64::INFINITY,
            },
            rate_codes: RateCodes::Powers,
            max_timeouts: Some(15),
            cc: "reno",
        }
    }

    /// ns-2.35's one-way agents.
    pub fn ns2() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "ns2",
            convention: Convention::Ns2,
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
                initial: Time::from_secs(3),
                min: Time::from_millis(200),
                max: Time::from_secs(60),
                granularity: Time::from_millis(10),
                after_syn_loss: Time::from_secs(3),
                // The phase that ns-2's default random stream gives an agent made before
                // the simulation starts: its second draw.
                ticks: Some(Ticks {
                    phase: 0.555_880_715_864,
                }),
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
                initial: Time::from_secs(1),
                min: Time::from_millis(500),
                max: Time::from_secs(64),
                granularity: Time(1),
                after_syn_loss: Time::from_secs(1),
                ticks: None,
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

    /// A current Linux kernel with timestamps, and with receive buffers of 32 MiB that may grow
    /// to 128, as servers that send far and fast are set up.
    pub fn linux() -> Stack {
        let base = Stack::rfc();
        Stack {
            preset: "linux",
            convention: Convention::Linux,
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
                    timer: Time::from_millis(40),
                },
                dsack: true,
                comp_sack_delay: Time::from_millis(1),
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
            rto: Arc::new(RtoParams {
                initial: Time::from_secs(1),
                min: Time::from_millis(200),
                max: Time::from_secs(120),
                // TCP_RTO_MIN bounds what the variation adds.
                granularity: Time::from_millis(200),
                after_syn_loss: Time::from_secs(1),
                ticks: None,
                // HZ = 250.
                jiffy: Some(Time::from_millis(4)),
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

    /// QUIC over UDP and IPv4 by RFC 9000 and 9002, in packets of 1500 bytes. Beside what is
    /// sent, data takes 20 bytes of IP, 8 of UDP, 11 of a short header (flags, a connection ID of
    /// 8, a packet number of 2), 16 of authentication tag and 6 of a STREAM frame; an
    /// acknowledgement has an ACK frame of 9 in the place of the latter, and more for every range
    /// but the first.
    pub fn quic() -> Stack {
        const UDP_IP: u32 = 8 + 20;
        const PROTECTED: u32 = UDP_IP + 11 + 16;
        let base = Stack::rfc();
        Stack {
            preset: "quic",
            convention: Convention::Quic,
            framing: Framing {
                mss: 1500 - (PROTECTED + 6),
                header: PROTECTED + 6,
                bare: PROTECTED + 9,
                opening: SMALLEST_INITIAL + UDP_IP,
                ..base.framing
            },
            window: WindowOptions {
                initial: InitialWindow::Rfc9002,
                after_syn_loss: AfterSynLoss::CongestionEvent,
                ..base.window
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 2,
                    timer: Time::from_millis(25),
                },
                ..base.receiver
            },
            recovery: RecoveryOptions {
                kind: RecoveryKind::Quic,
                ..base.recovery
            },
            receive_window: ReceiveWindowOptions {
                unbounded: true,
                ..base.receive_window
            },
            rto: Arc::new(RtoParams {
                // kInitialRtt and four times half of it.
                initial: Time::from_millis(333 + 2 * 333),
                min: Time::ZERO,
                max: Time::from_secs(60),
                granularity: Time::from_millis(1),
                after_syn_loss: Time::from_millis(333 + 2 * 333),
                ticks: None,
                jiffy: None,
            }),
            ..base
        }
    }

    /// quinn 0.11. What confirms the handshake acknowledges the data behind its end too, so the first
    /// packet is acknowledged at once and the others in pairs from the second on. Nothing is undone.
    pub fn quinn() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "quinn",
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
                    timer: Time::from_millis(25),
                },
                ..base.receiver
            },
            ..base
        }
    }

    /// noq 1.4. Its pacer holds acknowledgements back too: behind NEW_CONNECTION_ID, HANDSHAKE_DONE and
    /// the session tickets, 195 bytes. A loss that was none is undone.
    pub fn noq() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "noq",
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

    /// s2n-quic 1.91, which acknowledges every tenth packet (`packet_tolerance`), and undoes nothing.
    pub fn s2n() -> Stack {
        let base = Stack::quic();
        Stack {
            preset: "s2n",
            recovery: RecoveryOptions {
                undo: Undo::None,
                ..base.recovery
            },
            receiver: ReceiverOptions {
                ack: AckPolicy::Delayed {
                    every: 10,
                    timer: Time::from_millis(25),
                },
                ..base.receiver
            },
            ..base
        }
    }

    /// The retransmission timer, to be changed.
    pub fn timer(&mut self) -> &mut RtoParams {
        Arc::make_mut(&mut self.rto)
    }

    /// The receiver's window where a scenario does not give one.
    pub fn usual_window(&self) -> Option<u32> {
        let counted = self
            .receive_window
            .limit_packets
            .map(|n| n.saturating_mul(self.framing.mss));
        counted.map_or(self.receive_window.limit, |window| {
            Some(window.min(UNLIMITED_WINDOW - 1))
        })
    }

    /// Exchanges of packets that a connection begins with.
    pub fn exchanges(&self) -> u32 {
        let window = self.window.initial.bytes(self.framing.mss);
        self.handshake.exchanges(self.server_flight, window)
    }

    /// How many of them end before data leaves.
    pub fn round_trips(&self) -> u32 {
        match self.handshake {
            Handshake::ZeroRtt => 0,
            _ => self.exchanges(),
        }
    }

    /// Whether packets are numbered and acknowledged by number, rather than the bytes in them.
    #[inline(always)]
    pub fn numbers_packets(&self) -> bool {
        self.recovery.kind == RecoveryKind::Quic
    }

    /// Bytes of a full-size data packet on the wire.
    pub fn packet(&self) -> u32 {
        self.framing.mss + self.framing.header
    }

    /// What the receiving end needs of this.
    pub fn receiver(&self) -> ReceiverConfig {
        ReceiverConfig {
            ack: self.receiver.ack,
            jiffy: self.rto.jiffy,
            sack: self.recovery.sack
                && matches!(
                    self.recovery.kind,
                    RecoveryKind::Sack | RecoveryKind::Ns2Sack | RecoveryKind::Rack
                ),
            dsack: self.receiver.dsack && self.recovery.sack,
            comp_sack_delay: self.receiver.comp_sack_delay,
            paws: self.receiver.paws && self.receive_window.buffer.is_some(),
            numbers: self
                .numbers_packets()
                .then_some(self.receiver.ack_reordering),
            ack_pacer: self.receiver.ack_pacer,
            header: self.framing.bare,
            opening: self.framing.opening,
            syn_timeout: self.rto.initial,
            early_data: self.handshake == Handshake::ZeroRtt,
            sack_block_bytes: self.framing.sack_block,
            option_bytes: self.framing.option,
            window: self.receive_window.limit.unwrap_or(UNLIMITED_WINDOW),
            growth: self.growth(),
            echo_at_once: self.receiver.echo_at_once,
            delays_repetition_of_last: self.ns2.delays_repetition_of_last,
            delays_syn_ack: self.receiver.delays_syn_ack && self.receiver.ack != AckPolicy::Every,
            first_stands_in: self.ns2.headerless_first,
            window_field: self.window_field(),
        }
    }

    /// How the advertised window grows, where it does.
    pub fn growth(&self) -> Option<Growth> {
        Some(Growth {
            buffer: self.receive_window.buffer?,
            most: self.receive_window.limit,
            mss: self.framing.mss,
            header: self.framing.header,
            field: self.field(),
        })
    }

    /// How a window that is advertised travels.
    fn field(&self) -> Field {
        match (self.receive_window.unbounded, self.receive_window.scaling) {
            (true, _) => Field::Exact,
            (_, true) => Field::Scaled,
            (_, false) => Field::Unscaled,
        }
    }

    /// What a peer on a connection that is open already has offered.
    pub fn open_window(&self) -> u32 {
        match self.growth() {
            Some(growth) => ReceiveWindow::new(growth).opened(),
            None => self
                .window_field()
                .says(self.receive_window.limit.unwrap_or(UNLIMITED_WINDOW)),
        }
    }

    fn window_field(&self) -> WindowField {
        match (self.field(), self.receive_window.limit) {
            (Field::Exact, _) => WindowField::Exact,
            // The smallest scale that can express the window (RFC 7323 §2.3: at most 14).
            (Field::Scaled, Some(window)) => {
                WindowField::Scaled((0..14).find(|s| window >> s <= 65_535).unwrap_or(14))
            }
            _ => WindowField::Unscaled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_data_waits_for_nothing() {
        let stack = Stack {
            handshake: Handshake::ZeroRtt,
            ..Stack::quic()
        };
        assert_eq!((stack.exchanges(), stack.round_trips()), (1, 0));
        assert_eq!(Stack::quic().round_trips(), 1);
    }
}
