//! What a scenario says of the endpoints: a preset, and what departs from it.

use super::bounds::{segment_size, time, within};
use super::definition::{fields, names, needs, plain, text, Need};
use super::error::RequestError;
use flowstart_control::{Amount, Bytes, InitialWindow, RateCodes, Time};
use flowstart_transport::handshake::Handshake;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::RecoveryKind::{
    self, NewReno, Ns2Sack, Quic, Rack, Reno, Sack, Tahoe,
};
use flowstart_transport::stack::{EcnMode, Pacing, Restart, Sharing, Stack, Undo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

text!(InitialWindow);
plain!(AckName, GrowthName, PacingName);
names!(RecoveryKind, Handshake, Restart, RateCodes, Sharing, Undo);

const WAITS: Need<Stack> = needs(
    |stack| stack.handshake != Handshake::ZeroRtt,
    "data does not wait for it under `0-rtt` (stack.handshake)",
);
const DELAYS_ACKS: Need<Stack> = needs(
    |stack| stack.ack != AckPolicy::Every,
    "every segment is acknowledged at once; give `stack.ack = \"delayed\"`",
);
const QUICK_AT_FIRST: Need<Stack> = needs(
    |stack| matches!(stack.ack, AckPolicy::QuickThenDelayed { .. }),
    "only `quick-then-delayed` has such a beginning (stack.ack)",
);
const NUMBERS: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Quic]),
    "only `quic` numbers its packets (stack.recovery)",
);
const BY_SACK: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Sack]),
    "only `sack` has this rule (stack.recovery)",
);
const BY_DUPLICATES: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Tahoe, Reno, NewReno, Sack, Ns2Sack]),
    "only `tahoe`, `reno`, `newreno`, `sack` and `ns2-sack` have it (stack.recovery)",
);
const BY_NEWRENO: Need<Stack> = needs(
    |stack| recovers_by(stack, &[NewReno]),
    "only `newreno` has this choice (stack.recovery)",
);
const BY_RACK: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Rack]),
    "only `rack` does (stack.recovery)",
);
const BLOCKS: Need<Stack> = needs(
    |stack| stack.sack && recovers_by(stack, &[Sack, Ns2Sack, Rack, Quic]),
    "only `sack`, `ns2-sack`, `rack` and `quic` send blocks (stack.recovery), unless `stack.sack` is \
     false",
);
const BY_COUNTS: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Rack]),
    "only `rack` does with SACK and without (stack.recovery)",
);
const UNDOES: Need<Stack> = needs(
    |stack| recovers_by(stack, &[Sack, Rack, Quic]),
    "only `sack`, `rack` and `quic` find out that a loss was none (stack.recovery)",
);
const TICKS: Need<Stack> = needs(
    |stack| stack.rto.ticks.is_some(),
    "only the `ns2` stack counts in ticks",
);
const PACES_BY_RFC9002: Need<Stack> = needs(
    |stack| matches!(stack.pacing, Pacing::Rfc9002(_)),
    "only `rfc9002` has one (stack.pacing)",
);
const WINDOW_GROWS: Need<Stack> = needs(
    |stack| stack.buffer.is_some(),
    "the window does not grow; give `stack.window_growth = \"linux\"`",
);
const WINDOW_IS_SCALED: Need<Stack> = needs(
    |stack| !stack.window_unbounded && (stack.window.is_some() || stack.buffer.is_some()),
    "only a window that is given or grows is scaled (stack.window), under `ns2` and `quic` none",
);
const SHARES: Need<Stack> = needs(
    |stack| stack.sharing != Sharing::None,
    "connections leave nothing behind; give `stack.sharing = \"remember\"`",
);
const OPENS_WINDOWS: Need<Stack> = needs(
    |stack| stack.sharing.opens_windows(),
    "only `temporal` and `ensemble` open windows from a memory (stack.sharing)",
);

fn recovers_by(stack: &Stack, kinds: &[RecoveryKind]) -> bool {
    kinds.contains(&stack.recovery)
}

fields! {
    /// A preset and what departs from it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct StackSpec beside Stack {
        /// `rfc`, `ns2`, `opnet`, `linux`, `quic`, `quinn`, `noq` or `s2n`.
        #[usual("rfc")]
        pub preset: Option<String>,
        /// Maximum segment size, payload bytes, such as `1460B`.
        #[check(segment_size)]
        pub mss: Option<Bytes>,
        /// Bytes of a data segment beside its payload, such as `40B`.
        #[check(header_size)]
        pub header: Option<Bytes>,
        /// Initial window: segments (`3`) or a rule (`rfc6928`).
        ///
        /// Rules: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002`.
        #[flag("WINDOW")]
        #[sets(iw)]
        pub iw: Option<InitialWindow>,
        /// What is said before data leaves: `1-rtt`, `0-rtt` or `tcp+tls13`.
        ///
        /// `1-rtt` is an exchange, TCP's or QUIC's; under `0-rtt` data leaves right behind the
        /// first packet; `tcp+tls13` are two exchanges.
        #[sets(handshake)]
        pub handshake: Option<Handshake>,
        /// Bytes of what a server says first, its certificates among it.
        ///
        /// Beyond three times the client's 1200 bytes, or under `tcp+tls13` the initial window,
        /// they take another round trip.
        #[usual("no more than one round trip takes")]
        #[check(within(Bytes(1)..=Bytes(1_000_000), "1B to 1MB"))]
        #[needs(WAITS)]
        pub server_flight: Option<Bytes>,
        /// Acknowledgement policy of the receiver: `every`, `delayed` or `quick-then-delayed`.
        #[flag("WHEN")]
        pub ack: Option<AckName>,
        /// How long a delayed acknowledgement may wait.
        #[needs(DELAYS_ACKS)]
        pub ack_timer: Option<Time>,
        /// Segments per delayed acknowledgement.
        #[check(within(1..=1000, "1 to 1000 segments"))]
        #[needs(DELAYS_ACKS)]
        pub ack_every: Option<u32>,
        /// By how many packets a missing one may be overtaken until that is acknowledged at once.
        ///
        /// `0` for any number; with numbered packets only.
        #[check(within(0..=1000, "0 to 1000 packets"))]
        #[needs(NUMBERS)]
        #[sets(ack_reordering)]
        pub ack_reordering: Option<u32>,
        /// Bytes with which the server confirms the handshake, where acknowledgements wait until its
        /// pacer has earned them again; `0B` for a pacer that lets acknowledgements pass.
        ///
        /// As in noq, whose bucket holds a packet or ten milliseconds' worth at the beginning, and
        /// earns 15 000 bytes a round trip; with numbered packets only.
        #[check(within(Bytes(0)..=Bytes(15_000), "0B to 15kB"))]
        #[needs(NUMBERS)]
        pub ack_pacer: Option<Bytes>,
        /// Bytes of a packet without data by which the sender answers the first acknowledgement, unless
        /// it has data to send then; `0B` for none.
        ///
        /// As in quinn, which gives a new connection ID then. Its acknowledgement shows what was lost at
        /// the end of the first flight; with numbered packets only.
        #[check(within(Bytes(0)..=Bytes(1_500), "0B to 1500B"))]
        #[needs(NUMBERS)]
        pub id_update: Option<Bytes>,
        /// Segments acknowledged at once before delaying begins.
        #[needs(QUICK_AT_FIRST)]
        pub ack_quick: Option<u32>,
        /// What arrives when the flow has finished is still acknowledged, as in ns-2.
        ///
        /// Such acknowledgements load the way back.
        #[sets(acks_when_over)]
        pub acks_when_over: Option<bool>,
        /// The SYN's acknowledgement too may wait for the timer (ns-2's `SYN_immediate_ack_` off).
        #[needs(DELAYS_ACKS)]
        #[sets(delays_syn_ack)]
        pub delays_syn_ack: Option<bool>,
        /// On a connection without handshake the first data packet stands in for the SYN, as in ns-2.
        /// It has no header, nothing but the timer finds that it was lost, and its acknowledgement
        /// waits only where the SYN's does.
        #[sets(headerless_first)]
        pub headerless_first: Option<bool>,
        /// How loss is repaired.
        #[sets(recovery)]
        pub recovery: Option<RecoveryKind>,
        /// NextSeg rule 3 of RFC 6675.
        #[needs(BY_SACK)]
        #[sets(next_seg_rule_3)]
        pub next_seg_rule_3: Option<bool>,
        /// NextSeg rule 4 of RFC 6675.
        #[needs(BY_SACK)]
        #[sets(next_seg_rule_4)]
        pub next_seg_rule_4: Option<bool>,
        /// Limited transmit (RFC 3042).
        #[needs(BY_DUPLICATES)]
        #[sets(limited_transmit)]
        pub limited_transmit: Option<bool>,
        /// NewReno: restart the timer on the first partial acknowledgement only.
        #[needs(BY_NEWRENO)]
        #[sets(newreno.impatient)]
        pub newreno_impatient: Option<bool>,
        /// NewReno: deflate by what a partial acknowledgement covers.
        #[needs(BY_NEWRENO)]
        #[sets(newreno.partial_deflation)]
        pub newreno_partial_deflation: Option<bool>,
        /// Timeout before the first round-trip sample.
        #[check(at_least_1ms)]
        #[sets(timer().initial)]
        pub rto_initial: Option<Time>,
        /// Lower bound of the timeout.
        #[sets(timer().min)]
        pub rto_min: Option<Time>,
        /// Upper bound of the timeout.
        #[check(at_least_1ms)]
        #[sets(timer().max)]
        pub rto_max: Option<Time>,
        /// Clock granularity; under `ns2` the tick in which round trips are counted.
        #[check(ticking)]
        #[sets(timer().granularity)]
        pub tick: Option<Time>,
        /// What lost SYNs have made of the timeout holds until a valid round-trip sample.
        ///
        /// As in ns-2; otherwise data begins with a timeout of its own (RFC 6298 §5.7).
        #[sets(syn_backoff_lasts)]
        pub syn_backoff_lasts: Option<bool>,
        /// A lost SYN lowers the slow-start threshold to two segments, as any timeout does in ns-2.
        #[sets(syn_loss_lowers_ssthresh)]
        pub syn_loss_lowers_ssthresh: Option<bool>,
        /// Where in a tick an ns-2 host's clock starts, as a share of a tick.
        ///
        /// A flow may have its own (`flows.tick_phase`).
        #[check(phase)]
        #[needs(TICKS)]
        pub tick_phase: Option<f64>,
        /// How packets are spaced out where a startup does not: `none`, `internal` or `rfc9002`.
        ///
        /// `internal` as Linux does under its fq discipline, `rfc9002` by so many windows a round
        /// trip.
        pub pacing: Option<PacingName>,
        /// How many windows that are under `rfc9002`.
        #[usual("1.25")]
        #[check(within(1.0..=100.0, "1 to 100"))]
        #[needs(PACES_BY_RFC9002)]
        pub pacing_gain: Option<f64>,
        /// Whether new data leaves in bursts as segmentation offload takes it.
        ///
        /// As in Linux: what would be too small a burst waits for an acknowledgement that is a
        /// millisecond away at most (`tcp_tso_should_defer`), and the last segment of several carries
        /// PSH.
        #[needs(BY_RACK)]
        #[sets(tso)]
        pub tso: Option<bool>,
        /// Whether a timeout may turn out to have been for nothing (F-RTO, RFC 5682).
        #[needs(BY_RACK)]
        #[sets(frto)]
        pub frto: Option<bool>,
        /// What happens where a loss turns out to have been none: `none`, `set-empties` or `full`.
        ///
        /// Under `full` window and threshold come back, and what there is to learn of the path's
        /// reordering is learned: as in Linux under `rack`, by timestamps under `sack`, and under
        /// `quic` as packets that counted as lost are acknowledged. `set-empties`, of `quic`, has
        /// only the window come back, once all of them are.
        #[needs(UNDOES)]
        #[sets(undo)]
        pub undo: Option<Undo>,
        /// Whether the receiver reports what arrives twice (DSACK, RFC 2883).
        #[needs(BY_RACK)]
        #[sets(dsack)]
        pub dsack: Option<bool>,
        /// For how long the answer to what comes above a hole may wait for more of it.
        ///
        /// As Linux has it (`tcp_comp_sack_delay_ns`), from the fourth answer on that tells of one
        /// hole, and for a twentieth of a round trip at most; `0s` for not at all.
        #[needs(WINDOW_GROWS)]
        #[sets(comp_sack_delay)]
        pub comp_sack_delay: Option<Time>,
        /// Whether the receiver discards what left before that which it has heard of last (PAWS).
        ///
        /// RFC 7323 §5, by timestamps of a millisecond. What a path has delayed is lost to it where
        /// a retransmission that left later has come before.
        #[needs(WINDOW_GROWS)]
        #[sets(paws)]
        pub paws: Option<bool>,
        /// Whether the receiver reports what has arrived above a hole (RFC 2018); without, `rack`
        /// counts duplicates as Linux does.
        #[needs(BY_COUNTS)]
        #[sets(sack)]
        pub sack: Option<bool>,
        /// What both ends make of congestion marks (ECN): `off`, `classic` or `l4s`.
        ///
        /// Queues with `ecn=true` mark instead of dropping where the ends speak ECN. `classic`, or
        /// `true`, answers as to a loss (RFC 3168). Under `l4s` flows whose congestion avoidance
        /// scales its answer (`prague`) send ECT(1) and have marks counted (RFC 9331, RFC 9768);
        /// others do as under `classic`.
        #[sets(ecn)]
        pub ecn: Option<EcnMode>,
        /// Pace by the round trip in whole ticks, as ns-2 does.
        #[needs(TICKS)]
        #[sets(coarse_pacing)]
        pub coarse_pacing: Option<bool>,
        /// The largest window that the receiver advertises, in bytes or packets.
        pub window: Option<Amount>,
        /// How the advertised window gets there: `none` or `linux`.
        ///
        /// `none` has all of it from the beginning, `linux` grows with what arrives and with the
        /// receive buffer.
        pub window_growth: Option<GrowthName>,
        /// With growth: the receive buffer at the opening in bytes (`tcp_rmem[1]`).
        ///
        /// Headers and bookkeeping included: 32 MiB under `linux`, as servers on fast paths have
        /// it; 131072B in a stock kernel.
        #[needs(WINDOW_GROWS)]
        pub receive_buffer: Option<Bytes>,
        /// And what it may grow to (`tcp_rmem[2]`).
        ///
        /// 128 MiB under `linux`, 32 MiB in a stock kernel.
        #[needs(WINDOW_GROWS)]
        pub receive_buffer_max: Option<Bytes>,
        /// With growth: the share of a full segment's memory that is payload.
        ///
        /// The kernel measures it on the first.
        #[usual(
            "that of a device that hands over packets one by one (160 in 256 of 1448 bytes)"
        )]
        #[check(share_of_buffer)]
        #[needs(WINDOW_GROWS)]
        pub receive_share: Option<f64>,
        /// How many bytes the sender holds until they are acknowledged (`tcp_wmem[2]`).
        ///
        /// Payload alone counts. An application that has more is woken when a third is free.
        #[usual("without limit")]
        #[check(send_buffer)]
        pub send_buffer: Option<Bytes>,
        /// Whether windows are scaled.
        #[needs(WINDOW_IS_SCALED)]
        #[sets(window_scaling)]
        pub window_scaling: Option<bool>,
        /// What happens to the window after an idle time.
        #[sets(restart)]
        pub restart: Option<Restart>,
        /// Let the window grow although the application limits the flight.
        #[sets(grow_when_app_limited)]
        pub grow_when_app_limited: Option<bool>,
        /// Timeouts in a row after which a connection is given up; `0` for never.
        pub max_timeouts: Option<u32>,
        /// Hosts see packets only at interrupts, at least so far apart.
        #[usual("60us where `interrupt_max` is, else every packet is seen at once")]
        pub interrupt_min: Option<Time>,
        /// And at most so far.
        #[usual("100us where `interrupt_min` is, else every packet is seen at once")]
        #[check(time)]
        pub interrupt_max: Option<Time>,
        /// What it takes a host to read one SACK block.
        #[check(time)]
        #[needs(BLOCKS)]
        pub sack_cost: Option<Time>,
        /// How Quick-Start's rates are coded: `powers` (RFC 4782) or `linear` (ns-2's function 1).
        #[sets(rate_codes)]
        pub rate_codes: Option<RateCodes>,
        /// What connections between the same hosts leave behind for each other (RFC 9040).
        #[sets(sharing)]
        pub sharing: Option<Sharing>,
        /// How long a memory stays good.
        #[needs(SHARES)]
        #[sets(sharing_lifetime)]
        pub sharing_lifetime: Option<Time>,
        /// The largest window that a memory opens, in segments.
        #[usual("no limit")]
        #[check(within(1..=u32::MAX, "at least 1 segment"))]
        #[needs(OPENS_WINDOWS)]
        pub sharing_cap: Option<u32>,
    }
}

fn header_size(field: &str, header: &Bytes) -> Result<(), RequestError> {
    within(0..=1000, "a header of 0 B to 1 kB")(field, &header.0)
}

/// A smaller one could not hold a segment and what follows it.
fn send_buffer(field: &str, buffer: &Bytes) -> Result<(), RequestError> {
    within(Bytes(4096)..=Bytes(1 << 40), "a buffer of 4096 B to 1 TB")(field, buffer)
}

/// Backing off from nothing gets nowhere.
fn at_least_1ms(field: &str, timeout: &Time) -> Result<(), RequestError> {
    within(Time::from_millis(1)..=Time::MAX, "at least 1ms")(field, timeout)
}

fn ticking(field: &str, tick: &Time) -> Result<(), RequestError> {
    let problem = "`0s` is no clock; a positive time is needed";
    match *tick {
        Time::ZERO => Err(RequestError::new(field, problem)),
        _ => Ok(()),
    }
}

pub(super) fn phase(field: &str, phase: &f64) -> Result<(), RequestError> {
    let problem = || format!("`{phase}` is not a share of a tick, from 0 to below 1");
    match (0.0..1.0).contains(phase) {
        true => Ok(()),
        false => Err(RequestError::new(field, problem())),
    }
}

fn share_of_buffer(field: &str, share: &f64) -> Result<(), RequestError> {
    let problem = || format!("`{share}` is not a share of the buffer, from 0.01 to 1");
    match (0.01..=1.0).contains(share) {
        true => Ok(()),
        false => Err(RequestError::new(field, problem())),
    }
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
