//! What a scenario says of the endpoints: a preset, and what departs from it.

use super::quantity::quantity;
use flowstart_control::{Amount, Bytes, InitialWindow, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A preset and what departs from it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StackSpec {
    /// `rfc` (the default), `ns2`, `opnet`, `linux` or `quic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Maximum segment size, payload bytes, such as `1460B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub mss: Option<Bytes>,
    /// Bytes of a data segment beside its payload, such as `40B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub header: Option<Bytes>,
    /// Initial window: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002` or a number
    /// of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub iw: Option<InitialWindow>,
    /// What is said before data leaves: `1-rtt` (the default), an exchange, TCP's or QUIC's;
    /// `0-rtt`, data right behind the first packet; `tcp+tls13`, two exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<HandshakeName>,
    /// Bytes of what a server says first, its certificates among it: beyond three times the
    /// client's 1200 bytes, or under `tcp+tls13` the initial window, they take another round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub server_flight: Option<Bytes>,
    /// When the receiver acknowledges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack: Option<AckName>,
    /// How long a delayed acknowledgement may wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub ack_timer: Option<Time>,
    /// Segments per delayed acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_every: Option<u32>,
    /// Under `quic` recovery, by how many packets a missing one may be overtaken until that is
    /// acknowledged at once; `0` for any number. 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_reordering: Option<u32>,
    /// Segments acknowledged at once before delaying begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_quick: Option<u32>,
    /// How loss is repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryName>,
    /// NextSeg rule 3 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_3: Option<bool>,
    /// NextSeg rule 4 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_4: Option<bool>,
    /// Limited transmit (RFC 3042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// NewReno: restart the timer on the first partial acknowledgement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_impatient: Option<bool>,
    /// NewReno: deflate by what a partial acknowledgement covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_partial_deflation: Option<bool>,
    /// Timeout before the first round-trip sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_initial: Option<Time>,
    /// Lower bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_min: Option<Time>,
    /// Upper bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_max: Option<Time>,
    /// Clock granularity; under `ns2` the tick in which round trips are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub tick: Option<Time>,
    /// Where in a tick an ns-2 host's clock starts, as a share of a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick_phase: Option<f64>,
    /// How packets are spaced out where a start-up does not: `none`, `internal` as Linux does
    /// under its fq discipline, or `rfc9002` by so many windows a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingName>,
    /// How many windows that are under `rfc9002`: 1.25 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing_gain: Option<f64>,
    /// Whether a timeout may turn out to have been for nothing (F-RTO, RFC 5682), under `rack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frto: Option<bool>,
    /// Whether both ends speak ECN (RFC 3168): queues with `ecn=true` mark instead of dropping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// Pace by the round trip in whole ticks, as ns-2 does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarse_pacing: Option<bool>,
    /// The largest window that the receiver advertises, in bytes or packets; unlimited by
    /// default under `rfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub window: Option<Amount>,
    /// How the advertised window gets there: `none` has all of it from the beginning, `linux`
    /// grows with what arrives and with the receive buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_growth: Option<GrowthName>,
    /// With growth: the receive buffer at the opening in bytes, headers and bookkeeping included
    /// (`tcp_rmem[1]`): 32 MiB under `linux`, as servers on fast paths have it; 131072B in a stock
    /// kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub receive_buffer: Option<Bytes>,
    /// And what it may grow to (`tcp_rmem[2]`): 128 MiB under `linux`, 32 MiB in a stock kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub receive_buffer_max: Option<Bytes>,
    /// With growth: the share of a full segment's memory that is payload, which the kernel
    /// measures on the first; unless given, that of a device that hands over packets one by one
    /// (160 in 256 of 1448 bytes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_share: Option<f64>,
    /// Whether windows are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<bool>,
    /// What happens to the window after an idle time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartName>,
    /// Let the window grow although the application limits the flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grow_when_app_limited: Option<bool>,
    /// Timeouts in a row after which a connection is given up; `0` for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeouts: Option<u32>,
    /// Hosts see packets only at interrupts, at least so far apart: 60us unless given, where
    /// `interrupt_max` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_min: Option<Time>,
    /// And at most so far: 100us unless given, where `interrupt_min` is. With neither every
    /// packet is seen at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_max: Option<Time>,
    /// What it takes a host to read one SACK block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sack_cost: Option<Time>,
    /// How Quick-Start's rates are coded: `powers` (RFC 4782) or `linear` (ns-2's function 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_codes: Option<RateCodesName>,
    /// What connections between the same hosts leave behind for each other (RFC 9040).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingName>,
    /// How long a memory stays good.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sharing_lifetime: Option<Time>,
    /// The largest window that a memory opens, in segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing_cap: Option<u32>,
}

/// Names of acknowledgement policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckName {
    /// Every segment.
    Every,
    /// Every second, or after a timer.
    Delayed,
    /// The first sixteen at once, then delayed.
    QuickThenDelayed,
}

/// Names of the ways in which a window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthName {
    /// Not at all.
    None,
    /// As in Linux.
    Linux,
}

/// Names of recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryName {
    /// Timer only.
    GoBackN,
    /// Fast retransmit, then slow start.
    Tahoe,
    /// RFC 2581.
    Reno,
    /// RFC 6582.
    Newreno,
    /// RFC 6675.
    Sack,
    /// ns-2's Sack1.
    Ns2Sack,
    /// RFC 8985 with RFC 9937.
    Rack,
    /// RFC 9002.
    Quic,
}

/// Names of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HandshakeName {
    /// One exchange.
    #[serde(rename = "1-rtt")]
    OneRtt,
    /// Data is sent with the first packet.
    #[serde(rename = "0-rtt")]
    ZeroRtt,
    /// TCP's exchange, then that of TLS 1.3.
    #[serde(rename = "tcp+tls13")]
    TcpTls13,
}

/// Names of pacing rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacingName {
    /// At once.
    None,
    /// By the window and the round trip.
    Internal,
    /// By RFC 9002.
    Rfc9002,
}

/// Names of restart rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestartName {
    /// The initial window.
    InitialWindow,
    /// One segment.
    One,
    /// The window is kept.
    Keep,
}

/// Names of codes of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateCodesName {
    /// 40 kbit/s times a power of two.
    Powers,
    /// Multiples of 10 240 bytes a second.
    Linear,
}

/// Names of what connections leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharingName {
    /// Nothing.
    None,
    /// A memory for start-ups that use one.
    Remember,
    /// New connections open with what closed ones left.
    Temporal,
    /// New connections share the windows of open ones.
    Ensemble,
}
