//! The parts of a stack: options that belong together.

use crate::receive_window::ReceiveBuffer;
use crate::receiver::AckPolicy;
use flowstart_control::named;
use flowstart_control::{AfterSynLoss, InitialWindow, Segments, Time};

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

/// Sizes of packets, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Framing {
    /// Maximum segment size: payload of a full segment, bytes.
    pub mss: u32,
    /// Header bytes of data segments.
    pub header: u32,
    /// Bytes of an acknowledgement without SACK blocks.
    pub bare: u32,
    /// Bytes of a packet that opens a connection, and of the answer.
    pub opening: u32,
    /// Bytes a SACK block adds.
    pub sack_block: u32,
    /// Bytes that any other option of this project's algorithms adds to a segment.
    pub option: u32,
}

/// What the receiver acknowledges, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiverOptions {
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// With numbered packets, by how many a missing one may be overtaken until that is
    /// acknowledged at once: the Reordering Threshold of draft-ietf-quic-ack-frequency.
    pub ack_reordering: u32,
    /// Bytes with which a server confirms a handshake, where its acknowledgements wait until its pacer
    /// has earned them again (noq); zero where they do not.
    pub ack_pacer: u32,
    /// Whether the receiver reports what arrives twice (RFC 2883).
    pub dsack: bool,
    /// For how long the answer to what comes above a hole may wait for more of it, where the window
    /// grows (Linux's `tcp_comp_sack_delay_ns`); zero for not at all.
    pub comp_sack_delay: Time,
    /// Whether the receiver discards what left before that which it has heard of last (PAWS, RFC
    /// 7323 §5).
    pub paws: bool,
    /// The acknowledgement of what begins or ends an echo of a mark does not wait.
    pub echo_at_once: bool,
    /// The acknowledgement of the SYN too may wait for the timer that delays others.
    pub delays_syn_ack: bool,
}

/// What the receiver advertises.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiveWindowOptions {
    /// The largest window that the receiver advertises, in bytes; `None` never limits.
    pub limit: Option<u32>,
    /// That of the preset where it is counted in packets, and so follows their size.
    pub limit_packets: Option<u32>,
    /// An advertised window travels as a number without bounds, not in sixteen bits.
    pub unbounded: bool,
    /// The buffer with which that grows; `None` advertises all of it from the beginning.
    pub buffer: Option<ReceiveBuffer>,
    /// Whether windows are scaled (RFC 7323).
    pub scaling: bool,
}

/// How loss is found and repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryOptions {
    /// Bytes of a packet without data by which the sender answers the first acknowledgement, unless it
    /// has data to send then; zero for none. QUIC needs none, but an endpoint whose connection ID
    /// the peer retires with the handshake gives another (RFC 9000 §5.1.1). Its acknowledgement shows
    /// what was lost at the end of the first flight.
    pub id_update: u32,
    /// How loss is repaired.
    pub kind: RecoveryKind,
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
    /// Whether a timeout may turn out to have been for nothing (RFC 5682).
    pub frto: bool,
    /// What happens where a loss turns out to have been none.
    pub undo: Undo,
    /// Whether `rack` goes by timestamps (RFC 7323): in samples of the round trip, and to find out
    /// that a loss was none (RFC 3522).
    pub timestamps: bool,
    /// Whether `rack` probes for a loss at the end of a flight (RFC 8985 §7).
    pub tail_loss_probe: bool,
}

/// How the congestion window begins, and what happens to it besides loss.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOptions {
    /// The initial window.
    pub initial: InitialWindow,
    /// An acknowledgement too may find that the application leaves the window unused
    /// (draft-cheng-iccrg-delivery-rate-estimation §3.4), not only a write.
    pub app_limited_at_acks: bool,
    /// How many bytes of payload the sender holds until they are acknowledged; `None` for any
    /// number.
    pub send_buffer: Option<u64>,
    /// What happens to the window after an idle time.
    pub restart: Restart,
    /// Let the window grow although the application, not the window, limits the flight.
    pub grow_when_app_limited: bool,
    /// What a lost SYN does to the initial window.
    pub after_syn_loss: AfterSynLoss,
}

/// How packets are spaced out where a startup does not.
#[derive(Clone, Debug, PartialEq)]
pub struct PacingOptions {
    /// How packets are spaced out where a startup does not.
    pub rule: Pacing,
    /// What a controller paces leaves in bursts as segmentation offload takes it (Linux's
    /// `tcp_tso_autosize`), beginning with the second flight.
    pub by_offload: bool,
    /// New data leaves in bursts as segmentation offload takes it: what would be too small a burst
    /// waits for the next acknowledgement (Linux's `tcp_tso_should_defer`), and the last segment of
    /// several carries PSH.
    pub tso: bool,
}

/// What connections leave behind for each other.
#[derive(Clone, Debug, PartialEq)]
pub struct SharingOptions {
    /// What connections leave behind for each other.
    pub kind: Sharing,
    /// How long a memory stays good.
    pub lifetime: Time,
    /// The largest window in segments that a memory opens.
    pub cap: Segments,
}

/// What only ns-2 does, but for a study that shares some of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ns2Quirks {
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
    /// The acknowledgement of a repeated last segment may wait: the receiver does not tell it
    /// from a first arrival.
    pub delays_repetition_of_last: bool,
    /// On a connection without handshake the first data packet stands in for the SYN: it has no
    /// header, nothing but the timer finds that it was lost, and its acknowledgement waits only where
    /// the SYN's does.
    pub headerless_first: bool,
    /// Pace by the round trip in whole clock ticks, as ns-2 does, rather than exactly.
    pub coarse_pacing: bool,
    /// Send whole segments only: a transfer is rounded up to them.
    pub whole_segments: bool,
    /// A lost SYN lowers the threshold to two segments, as any timeout at a window of one does.
    pub syn_loss_lowers_ssthresh: bool,
    /// What lost SYNs have made of the timeout holds until a valid sample ends the back-off,
    /// rather than a timeout of its own for data ([`RtoParams::after_syn_loss`](crate::rtt::RtoParams::after_syn_loss)).
    pub syn_backoff_lasts: bool,
    /// A repeated SYN, which gives no fair sample, does not keep a startup from pacing by
    /// the round trip: ns-2's take it for the one tick that an unmeasured one counts as.
    pub trusts_repeated_syn: bool,
    /// What arrives when the flow has finished is still acknowledged.
    pub acks_when_over: bool,
}
