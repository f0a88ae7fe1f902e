//! What a stack chooses among.

use crate::pacing::bucket::Bucket;
use flowstart_control::named;

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
    /// How the window comes down to what the controller has set, in a recovery.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ReductionKind {
        /// By a share of what is delivered (RFC 9937).
        Prr = "prr",
        /// At once.
        Instant = "instant",
    }
}

named! {
    /// What a connection's end leaves behind for later ones between the same hosts (RFC 9040).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sharing {
        /// Nothing.
        None = "none",
        /// A closed connection's window, threshold and round-trip time are cached, and given to
        /// startups that use a memory.
        Remember = "remember",
        /// And new connections open with them.
        Temporal = "temporal",
        /// A new connection shares the windows of those that are open (§7); where none is, it
        /// opens with what is cached.
        Ensemble = "ensemble",
    }
}

impl Sharing {
    /// Whether a memory sets the first window of every startup.
    pub fn opens_windows(self) -> bool {
        matches!(self, Sharing::Temporal | Sharing::Ensemble)
    }
}

/// How short packets fill a window that counts datagrams (quiche 0.30.0, `lib.rs`, `send_single`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filling {
    /// The smallest rest of a window that a packet fills, in bytes.
    pub least: u32,
    /// Bytes of a client's first datagram that only acknowledge: the window does not count them.
    pub uncounted: u32,
}

/// How much of a window in flight counts as its use, which lets it grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utilization {
    /// So much that no full-size packet has room (RFC 9002 §7.8).
    Full,
    /// More than half (quicly, `lib/quicly.c`, `cc_limited`).
    Half,
    /// More than half in slow start, later all but two packets (neqo, `cc/classic_cc.rs`,
    /// `app_limited`).
    HalfInSlowStart,
}

/// What a loss does to the window where packets are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossResponse {
    /// One reduction for all that left before it, and one packet whatever the window (RFC 9002 §7.3.2).
    /// What the same ACK acknowledges lets the window grow afterwards (§A.7).
    Rfc9002,
    /// What an ACK acknowledges lets the window grow before the losses that it shows reduce it
    /// (quinn-proto 0.11.19 and noq-proto 1.4.0, `on_ack_received`; quicly, `handle_ack_frame`). No
    /// packet leaves above the window.
    AfterGrowth,
    /// Under a congestion control that requests it, acknowledgements let packets leave by
    /// proportional rate reduction (RFC 6937), on top of what the window has room for (quiche 0.30.0,
    /// `recovery/congestion/prr.rs` and `cwnd_available`).
    PrrAboveWindow,
    /// As [`Rfc9002`](Self::Rfc9002), but any loss outside of recovery reduces the window, also that of
    /// a packet that left before the last reduction. The ACK that ends a recovery reduces nothing
    /// (s2n-quic-core 0.91.0, `recovery/cubic.rs`, `on_congestion_event` and `on_ack`).
    OutsideRecovery,
}

/// How a sender spaces its packets out where its startup does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// No pacing.
    None,
    /// By the window and the round trip, as Linux does.
    Internal,
    /// By so many windows a round trip (RFC 9002 §7.7).
    Rfc9002(f64),
    /// In bursts from a bucket of tokens.
    TokenBucket(Bucket),
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
        /// (neqo, noq and quinn 0.12 with CUBIC); elsewhere as `full`.
        SetEmpties = "set-empties",
        /// The window comes back as soon as that shows, and the path's reordering is learned from
        /// it: as in Linux under `rack`, by timestamps under `sack` (RFC 3522, 4015), and under
        /// `quic` and thresholds that adapt (quicly).
        Full = "full",
    }
}

named! {
    /// What both ends make of congestion marks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EcnMode {
        /// Nothing: packets are not ECN-capable.
        Off = "off",
        /// One response per window, as to a loss (RFC 3168).
        Classic = "classic",
        /// A flow whose congestion control scales its response to the share of marks sends ECT(1)
        /// and has them counted (RFC 9331, RFC 9768); others do as under `classic`.
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
