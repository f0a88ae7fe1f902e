//! A stack: a whole set of endpoint behaviours, as a plain struct with presets.

use super::handshake::{Handshake, SMALLEST_INITIAL};
use super::receive_window::{Field, Growth, ReceiveBuffer, ReceiveWindow};
use super::receiver::{AckPolicy, ReceiverConfig, WindowField};
use super::rtt::{RtoParams, Ticks};
use flowstart_control::{named, RateCodes};
use flowstart_control::{AfterSynLoss, Convention, InitialWindow, Segments, Time};
use flowstart_wire::UNLIMITED_WINDOW;
use std::sync::Arc;

named! {
    /// How loss is found and repaired.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RecoveryKind {
        /// Only the timer finds loss; everything from there is sent again.
        GoBackN = "go-back-n",
        /// Fast retransmit, then slow start from one segment.
        Tahoe = "tahoe",
        /// Fast recovery that any new acknowledgement ends (RFC 2581).
        Reno = "reno",
        /// Fast recovery that partial acknowledgements continue (RFC 6582).
        NewReno = "newreno",
        /// SACK with a conservative pipe (RFC 6675).
        Sack = "sack",
        /// ns-2's Sack1: a pipe counted down by acknowledgements.
        Ns2Sack = "ns2-sack",
        /// RACK-TLP (RFC 8985) with PRR (RFC 9937), as Linux has them.
        Rack = "rack",
        /// QUIC's, with numbered packets (RFC 9002).
        Quic = "quic",
    }
}

named! {
    /// What a connection's end leaves behind for later ones between the same hosts (RFC 9040).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sharing {
        /// Nothing.
        None = "none",
        /// A closed connection's window, threshold and round-trip time are remembered, and told to
        /// startups that use a memory.
        Remember = "remember",
        /// And new connections open with them.
        Temporal = "temporal",
        /// A new connection shares the windows of those that are open (§7); where none is, it
        /// opens with what is remembered.
        Ensemble = "ensemble",
    }
}

impl Sharing {
    /// Whether a memory sets the first window of every startup.
    pub fn opens_windows(self) -> bool {
        matches!(self, Sharing::Temporal | Sharing::Ensemble)
    }
}

/// How a sender spaces its packets out where its startup does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// Not at all.
    None,
    /// By the window and the round trip, as Linux does.
    Internal,
    /// By so many windows a round trip (RFC 9002 §7.7).
    Rfc9002(f64),
}

named! {
    /// What the window falls to when sending resumes after an idle time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Restart {
        /// The initial window (RFC 5681 §4.1).
        InitialWindow = "initial-window",
        /// One segment (ns-2's `slow_start_restart_`).
        One = "one",
        /// It is kept.
        Keep = "keep",
        /// Three quarters of it, and they are paced over the round trip until the first
        /// acknowledgement (rate-based pacing: V. Visweswaraiah and J. Heidemann, 1997; ns-2's
        /// `Reno/RBP` and `Vegas/RBP`, which paces what its last round had of rate instead).
        Paced = "paced",
        /// Half for each timeout that has passed, the initial window at least; the threshold at
        /// three quarters of what it was (Linux's `tcp_cwnd_restart`).
        Linux = "linux",
    }
}

named! {
    /// What happens where a loss turns out to have been none.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Undo {
        /// Nothing.
        None = "none",
        /// Under `quic` the window comes back once all that counted as lost has arrived after all
        /// (quinn with CUBIC, neqo); elsewhere as `full`.
        SetEmpties = "set-empties",
        /// The window comes back as soon as that shows, and the path's reordering is learned from
        /// it: as in Linux under `rack`, by timestamps under `sack` (RFC 3522, 4015), and under
        /// `quic` with thresholds that adapt besides (quicly).
        Full = "full",
    }
}

named! {
    /// What both ends make of congestion marks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EcnMode {
        /// Nothing: packets are not ECN-capable.
        Off = "off",
        /// One answer per window, as to a loss (RFC 3168).
        Classic = "classic",
        /// A flow whose congestion avoidance scales its answer to the share of marks sends ECT(1) and
        /// has them counted (RFC 9331, RFC 9768); others do as under `classic`.
        L4s = "l4s",
    }
}

/// Where NewReno implementations differ.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRenoOptions {
    /// Restart the timer on the first partial acknowledgement only (RFC 6582 §4).
    pub impatient: bool,
    /// Deflate by what a partial acknowledgement covers (RFC 6582 §3.2 step 5).
    pub partial_deflation: bool,
    /// Most segments that one acknowledgement may release during recovery.
    pub max_burst: Option<u32>,
    /// Leave recovery with no more window than avoids a burst (RFC 6582 §3.2 step 3).
    pub avoids_burst: bool,
}

/// Everything about an endpoint that is not its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The preset's name.
    pub preset: &'static str,
    /// Whose defaults algorithms take. The stack itself never asks.
    pub convention: Convention,
    /// Maximum segment size: payload of a full segment, bytes.
    pub mss: u32,
    /// Header bytes of data segments.
    pub header: u32,
    /// Bytes of an acknowledgement without SACK blocks.
    pub bare: u32,
    /// Bytes of a packet that opens a connection, and of the answer.
    pub opening: u32,
    /// What is said before data leaves.
    pub handshake: Handshake,
    /// Bytes of what a server says first, its certificates among it, where they could be too
    /// many for one round trip.
    pub server_flight: Option<u32>,
    /// Bytes a SACK block adds.
    pub sack_block_bytes: u32,
    /// Bytes that any other option of this project's algorithms adds to a segment.
    pub option_bytes: u32,
    /// The initial window.
    pub iw: InitialWindow,
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// With numbered packets, by how many a missing one may be overtaken until that is
    /// acknowledged at once: the Reordering Threshold of draft-ietf-quic-ack-frequency.
    pub ack_reordering: u32,
    /// Bytes with which a server confirms a handshake, where its acknowledgements wait until its pacer
    /// has earned them again (noq); zero where they do not.
    pub ack_pacer: u32,
    /// Bytes of a packet without data by which the sender answers the first acknowledgement, unless it
    /// has data to send then; zero for none. QUIC needs none, but an endpoint whose connection ID
    /// the peer retires with the handshake gives another (RFC 9000 §5.1.1). Its acknowledgement shows
    /// what was lost at the end of the first flight.
    pub id_update: u32,
    /// How loss is repaired.
    pub recovery: RecoveryKind,
    /// Whether the receiver reports what has arrived above a hole (RFC 2018), where recovery makes
    /// use of that.
    pub sack: bool,
    /// NextSeg rule 3: retransmit what is not known lost when nothing else may go (RFC 6675 §4).
    pub next_seg_rule_3: bool,
    /// NextSeg rule 4: one rescue retransmission of the highest hole (RFC 6675 §4).
    pub next_seg_rule_4: bool,
    /// New data on the first two duplicate acknowledgements (RFC 3042).
    pub limited_transmit: bool,
    /// NewReno's choices.
    pub newreno: NewRenoOptions,
    /// The acknowledgement that ends a recovery opens the window too.
    pub grows_leaving_recovery: bool,
    /// Duplicates that came before a timeout still count: they can start no second fast
    /// retransmit.
    pub counts_duplicates_on: bool,
    /// Who goes back after a timeout goes on behind what fast retransmit has sent since. ns-2's
    /// `output` leaves `t_seqno_` where it is, so that a packet may leave twice.
    pub fast_retransmit_counts: bool,
    /// A window is as many whole segments as it has, not so many bytes.
    pub whole_window: bool,
    /// Whether a timeout may turn out to have been for nothing (RFC 5682).
    pub frto: bool,
    /// What happens where a loss turns out to have been none.
    pub undo: Undo,
    /// Whether the receiver reports what arrives twice (RFC 2883).
    pub dsack: bool,
    /// Whether `rack` goes by timestamps (RFC 7323): in samples of the round trip, and to find out
    /// that a loss was none (RFC 3522).
    pub timestamps: bool,
    /// For how long the answer to what comes above a hole may wait for more of it, where the window
    /// grows (Linux's `tcp_comp_sack_delay_ns`); zero for not at all.
    pub comp_sack_delay: Time,
    /// Whether the receiver discards what left before that which it has heard of last (PAWS, RFC
    /// 7323 §5).
    pub paws: bool,
    /// Whether `rack` probes for a loss at the end of a flight (RFC 8985 §7).
    pub tail_loss_probe: bool,
    /// What both ends make of congestion marks.
    pub ecn: EcnMode,
    /// The acknowledgement of what begins or ends an echo of a mark does not wait.
    pub echo_at_once: bool,
    /// The acknowledgement of a repeated last segment may wait: the receiver does not tell it
    /// from a first arrival.
    pub delays_repetition_of_last: bool,
    /// The acknowledgement of the SYN too may wait for the timer that delays others.
    pub delays_syn_ack: bool,
    /// On a connection without handshake the first data packet stands in for the SYN: it has no
    /// header, nothing but the timer finds that it was lost, and its acknowledgement waits only where
    /// the SYN's does.
    pub headerless_first: bool,
    /// Retransmission timeout.
    pub rto: Arc<RtoParams>,
    /// How packets are spaced out where a startup does not.
    pub pacing: Pacing,
    /// Pace by the round trip in whole clock ticks, as ns-2 does, rather than exactly.
    pub coarse_pacing: bool,
    /// What a controller paces leaves in bursts as segmentation offload takes it (Linux's
    /// `tcp_tso_autosize`), beginning with the second flight.
    pub paces_by_offload: bool,
    /// New data leaves in bursts as segmentation offload takes it: what would be too small a burst
    /// waits for the next acknowledgement (Linux's `tcp_tso_should_defer`), and the last segment of
    /// several carries PSH.
    pub tso: bool,
    /// An acknowledgement too may find that the application leaves the window unused
    /// (draft-cheng-iccrg-delivery-rate-estimation §3.4), not only a write.
    pub app_limited_at_acks: bool,
    /// The largest window that the receiver advertises, in bytes; `None` never limits.
    pub window: Option<u32>,
    /// That of the preset where it is counted in packets, and so follows their size.
    pub window_packets: Option<u32>,
    /// An advertised window travels as a number without bounds, not in sixteen bits.
    pub window_unbounded: bool,
    /// The buffer with which that grows; `None` advertises all of it from the beginning.
    pub buffer: Option<ReceiveBuffer>,
    /// Whether windows are scaled (RFC 7323).
    pub window_scaling: bool,
    /// How many bytes of payload the sender holds until they are acknowledged; `None` for any
    /// number.
    pub send_buffer: Option<u64>,
    /// What happens to the window after an idle time.
    pub restart: Restart,
    /// What connections leave behind for each other.
    pub sharing: Sharing,
    /// How long a memory stays good.
    pub sharing_lifetime: Time,
    /// The largest window in segments that a memory opens.
    pub sharing_cap: Segments,
    /// Let the window grow although the application, not the window, limits the flight.
    pub grow_when_app_limited: bool,
    /// Send whole segments only: a transfer is rounded up to them.
    pub whole_segments: bool,
    /// What a lost SYN does to the initial window.
    pub after_syn_loss: AfterSynLoss,
    /// A lost SYN lowers the threshold to two segments, as any timeout at a window of one does.
    pub syn_loss_lowers_ssthresh: bool,
    /// What lost SYNs have made of the timeout holds until a valid sample ends the back-off,
    /// rather than a timeout of its own for data ([`RtoParams::after_syn_loss`]).
    pub syn_backoff_lasts: bool,
    /// A repeated SYN, which gives no fair sample, does not keep a startup from pacing by
    /// the round trip: ns-2's take it for the one tick that an unmeasured one counts as.
    pub trusts_repeated_syn: bool,
    /// What arrives when the flow has finished is still acknowledged.
    pub acks_when_over: bool,
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
            mss: 1460,
            header: 40,
            bare: 40,
            opening: 40,
            handshake: Handshake::OneRtt,
            server_flight: None,
            sack_block_bytes: 8,
            option_bytes: 8,
            iw: InitialWindow::Rfc6928,
            ack: AckPolicy::Delayed {
                every: 2,
                timer: Time::from_millis(200),
            },
            ack_reordering: 1,
            ack_pacer: 0,
            id_update: 0,
            recovery: RecoveryKind::Sack,
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
            grows_leaving_recovery: false,
            counts_duplicates_on: false,
            fast_retransmit_counts: true,
            whole_window: false,
            frto: false,
            undo: Undo::Full,
            dsack: false,
            timestamps: true,
            comp_sack_delay: Time::ZERO,
            paws: false,
            tail_loss_probe: true,
            ecn: EcnMode::Off,
            echo_at_once: false,
            delays_repetition_of_last: false,
            delays_syn_ack: false,
            headerless_first: false,
            rto: Arc::new(RtoParams {
                initial: Time::from_secs(1),
                min: Time::from_secs(1),
                max: Time::from_secs(60),
                granularity: Time::from_millis(1),
                after_syn_loss: Time::from_secs(3),
                ticks: None,
                jiffy: None,
            }),
            pacing: Pacing::None,
            coarse_pacing: false,
            paces_by_offload: false,
            tso: false,
            app_limited_at_acks: true,
            window: None,
            window_packets: None,
            window_unbounded: false,
            buffer: None,
            window_scaling: true,
            send_buffer: None,
            restart: Restart::InitialWindow,
            sharing: Sharing::None,
            sharing_lifetime: Time::from_secs(600),
            sharing_cap: f64::INFINITY,
            grow_when_app_limited: false,
            whole_segments: false,
            after_syn_loss: AfterSynLoss::OneSegment,
            syn_loss_lowers_ssthresh: false,
            syn_backoff_lasts: false,
            trusts_repeated_syn: false,
            acks_when_over: false,
            rate_codes: RateCodes::Powers,
            max_timeouts: Some(15),
            cc: "reno",
        }
    }

    /// ns-2.35's one-way agents.
    pub fn ns2() -> Stack {
        Stack {
            preset: "ns2",
            convention: Convention::Ns2,
            // Its options cost nothing on the wire.
            option_bytes: 0,
            iw: InitialWindow::Segments(2),
            ack: AckPolicy::Every,
            recovery: RecoveryKind::Ns2Sack,
            newreno: NewRenoOptions {
                max_burst: Some(2),
                avoids_burst: false,
                ..Stack::rfc().newreno
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
            grows_leaving_recovery: true,
            counts_duplicates_on: true,
            fast_retransmit_counts: false,
            whole_window: true,
            delays_repetition_of_last: true,
            headerless_first: true,
            window_packets: Some(100_000),
            window_unbounded: true,
            restart: Restart::One,
            grow_when_app_limited: true,
            whole_segments: true,
            syn_loss_lowers_ssthresh: true,
            syn_backoff_lasts: true,
            trusts_repeated_syn: true,
            acks_when_over: true,
            max_timeouts: None,
            ..Stack::rfc()
        }
    }

    /// The hosts of the OPNET study of Modified Swift Start, after its table 1: no SACK, fast
    /// retransmit, fast recovery or window scaling, so that 65 535 of the receiver's 100 000
    /// bytes are what it can advertise.
    pub fn opnet() -> Stack {
        Stack {
            preset: "opnet",
            iw: InitialWindow::Segments(4),
            recovery: RecoveryKind::GoBackN,
            limited_transmit: false,
            rto: Arc::new(RtoParams {
                initial: Time::from_secs(1),
                min: Time::from_millis(500),
                max: Time::from_secs(64),
                granularity: Time(1),
                after_syn_loss: Time::from_secs(1),
                ticks: None,
                jiffy: None,
            }),
            window: Some(100_000),
            window_scaling: false,
            // The study's longest paths take longer than the first timeout, and its probes
            // leave all the same.
            after_syn_loss: AfterSynLoss::TolerateOne,
            trusts_repeated_syn: true,
            ..Stack::rfc()
        }
    }

    /// A current Linux kernel with timestamps, and with receive buffers of 32 MiB that may grow
    /// to 128, as servers that send far and fast are set up.
    pub fn linux() -> Stack {
        Stack {
            preset: "linux",
            convention: Convention::Linux,
            mss: 1448,
            header: 52,
            bare: 52,
            opening: 52,
            iw: InitialWindow::Segments(10),
            // And at once as long as the advertised window grows, of which a large buffer makes
            // two megabytes.
            ack: AckPolicy::QuickThenDelayed {
                quick: 16,
                every: 2,
                timer: Time::from_millis(40),
            },
            recovery: RecoveryKind::Rack,
            frto: true,
            dsack: true,
            comp_sack_delay: Time::from_millis(1),
            paws: true,
            restart: Restart::Linux,
            echo_at_once: true,
            paces_by_offload: true,
            tso: true,
            app_limited_at_acks: false,
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
            buffer: Some(ReceiveBuffer {
                initial: 32 << 20,
                largest: 128 << 20,
                share: None,
            }),
            after_syn_loss: AfterSynLoss::TolerateOne,
            cc: "cubic",
            ..Stack::rfc()
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
        Stack {
            preset: "quic",
            convention: Convention::Quic,
            mss: 1500 - (PROTECTED + 6),
            header: PROTECTED + 6,
            bare: PROTECTED + 9,
            opening: SMALLEST_INITIAL + UDP_IP,
            iw: InitialWindow::Rfc9002,
            ack: AckPolicy::Delayed {
                every: 2,
                timer: Time::from_millis(25),
            },
            recovery: RecoveryKind::Quic,
            window_unbounded: true,
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
            after_syn_loss: AfterSynLoss::CongestionEvent,
            ..Stack::rfc()
        }
    }

    /// quinn 0.11. What confirms the handshake acknowledges the data behind its end too, so the first
    /// packet is acknowledged at once and the others in pairs from the second on. Nothing is undone.
    pub fn quinn() -> Stack {
        Stack {
            preset: "quinn",
            undo: Undo::None,
            // 28 of NEW_CONNECTION_ID, 28 of UDP and IP, and what a packet with an acknowledgement has.
            id_update: 90,
            ack: AckPolicy::QuickThenDelayed {
                quick: 1,
                every: 2,
                timer: Time::from_millis(25),
            },
            ..Stack::quic()
        }
    }

    /// noq 1.4. Its pacer holds acknowledgements back too: behind NEW_CONNECTION_ID, HANDSHAKE_DONE and
    /// the session tickets, 195 bytes. A loss that was none is undone.
    pub fn noq() -> Stack {
        Stack {
            preset: "noq",
            ack_pacer: 195,
            undo: Undo::SetEmpties,
            ..Stack::quic()
        }
    }

    /// s2n-quic 1.91, which acknowledges every tenth packet (`packet_tolerance`), and undoes nothing.
    pub fn s2n() -> Stack {
        Stack {
            preset: "s2n",
            undo: Undo::None,
            ack: AckPolicy::Delayed {
                every: 10,
                timer: Time::from_millis(25),
            },
            ..Stack::quic()
        }
    }

    /// The retransmission timer, to be changed.
    pub fn timer(&mut self) -> &mut RtoParams {
        Arc::make_mut(&mut self.rto)
    }

    /// The receiver's window where a scenario does not give one.
    pub fn usual_window(&self) -> Option<u32> {
        let counted = self.window_packets.map(|n| n.saturating_mul(self.mss));
        counted.map_or(self.window, |window| Some(window.min(UNLIMITED_WINDOW - 1)))
    }

    /// Exchanges of packets that a connection begins with.
    pub fn exchanges(&self) -> u32 {
        let window = self.iw.bytes(self.mss);
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
        self.recovery == RecoveryKind::Quic
    }

    /// Bytes of a full-size data packet on the wire.
    pub fn packet(&self) -> u32 {
        self.mss + self.header
    }

    /// What the receiving end needs of this.
    pub fn receiver(&self) -> ReceiverConfig {
        ReceiverConfig {
            ack: self.ack,
            jiffy: self.rto.jiffy,
            sack: self.sack
                && matches!(
                    self.recovery,
                    RecoveryKind::Sack | RecoveryKind::Ns2Sack | RecoveryKind::Rack
                ),
            dsack: self.dsack && self.sack,
            comp_sack_delay: self.comp_sack_delay,
            paws: self.paws && self.buffer.is_some(),
            numbers: self.numbers_packets().then_some(self.ack_reordering),
            ack_pacer: self.ack_pacer,
            header: self.bare,
            opening: self.opening,
            syn_timeout: self.rto.initial,
            early_data: self.handshake == Handshake::ZeroRtt,
            sack_block_bytes: self.sack_block_bytes,
            option_bytes: self.option_bytes,
            window: self.window.unwrap_or(UNLIMITED_WINDOW),
            growth: self.growth(),
            echo_at_once: self.echo_at_once,
            delays_repetition_of_last: self.delays_repetition_of_last,
            delays_syn_ack: self.delays_syn_ack && self.ack != AckPolicy::Every,
            first_stands_in: self.headerless_first,
            window_field: self.window_field(),
        }
    }

    /// How the advertised window grows, where it does.
    pub fn growth(&self) -> Option<Growth> {
        Some(Growth {
            buffer: self.buffer?,
            most: self.window,
            mss: self.mss,
            header: self.header,
            field: self.field(),
        })
    }

    /// How a window that is advertised travels.
    fn field(&self) -> Field {
        match (self.window_unbounded, self.window_scaling) {
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
                .says(self.window.unwrap_or(UNLIMITED_WINDOW)),
        }
    }

    fn window_field(&self) -> WindowField {
        match (self.field(), self.window) {
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
