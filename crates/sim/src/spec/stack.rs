//! A scenario's fields of the endpoints: a preset, and what departs from it.

use super::bounds::{rate, segment_size, time, within};
use super::definition::{Need, fields, names, needs, plain, text};
use super::error::RequestError;
use flowstart_control::units::ParseError;
use flowstart_control::{Amount, Bytes, Duration, InitialWindow, Rate, RateCodes};
use flowstart_network::host::HostSpec;
use flowstart_transport::flow_control::ReceiverName;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::RecoveryKind::{
    self, NewReno, Ns2Sack, Quic, Rack, Reno, Sack, Tahoe,
};
use flowstart_transport::stack::{EcnMode, Pacing, ReductionKind, Restart, Sharing, Stack, Undo};
use flowstart_transport::{Amplification, Flight, Handshake, RttRule};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

text!(InitialWindow, WindowSize);
plain!(AckName, GrowthName, PacingName);
names!(
    RecoveryKind,
    ReductionKind,
    Handshake,
    Flight,
    Amplification,
    Restart,
    RateCodes,
    ReceiverName,
    Sharing,
    Undo
);

const WAITS: Need<Stack> = needs(
    |stack| !stack.handshake.is_early() || stack.messages.flight.is_some(),
    "data does not wait for it under `0-rtt` (stack.handshake)",
);
const PACKETS: Need<Stack> = needs(
    |stack| stack.messages.flight.is_some(),
    "the handshake is counted in round trips; give `stack.flight`",
);
const NO_TOKEN: Need<Stack> = needs(
    |stack| !stack.messages.token,
    "the client has a token (stack.token)",
);
const LIMITED: Need<Stack> = needs(
    |stack| !stack.messages.token && !stack.messages.retry,
    "a token validates the address at once (stack.token, stack.retry)",
);
const NO_NUMBERS: Need<Stack> = needs(
    |stack| !recovers_by(stack, &[Quic]),
    "`quic` has no SYN (stack.recovery)",
);
const DELAYS_ACKS: Need<Stack> = needs(
    |stack| stack.receiver.ack != AckPolicy::Every,
    "every segment is acknowledged at once; give `stack.ack = \"delayed\"`",
);
const QUICK_AT_FIRST: Need<Stack> = needs(
    |stack| matches!(stack.receiver.ack, AckPolicy::QuickThenDelayed { .. }),
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
    |stack| stack.recovery.sack && recovers_by(stack, &[Sack, Ns2Sack, Rack, Quic]),
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
    |stack| matches!(stack.rto.rule, RttRule::Ticks { .. }),
    "only the `ns2` stack counts in ticks",
);
const CLOCK: Need<Stack> = needs(
    |stack| stack.rto.rule != RttRule::Linux,
    "Linux bounds the variation instead (stack.rto_min)",
);
const PACES_BY_RFC9002: Need<Stack> = needs(
    |stack| matches!(stack.pacing.rule, Pacing::Rfc9002(_)),
    "only `rfc9002` has one (stack.pacing)",
);
const PACES_BY_RATE: Need<Stack> = needs(
    |stack| matches!(stack.pacing.rule, Pacing::Internal | Pacing::Rfc9002(_)),
    "nothing is paced by a rate; give `stack.pacing = \"internal\"` or `\"rfc9002\"`",
);
const WINDOW_GROWS: Need<Stack> = needs(
    |stack| stack.receive_window.buffer.is_some(),
    "the window does not grow; give `stack.window_growth = \"linux\"`",
);
const WINDOW_IS_SCALED: Need<Stack> = needs(
    |stack| {
        !stack.receive_window.unbounded
            && (stack.receive_window.limit.is_some() || stack.receive_window.buffer.is_some())
    },
    "only a window that is given or grows is scaled (stack.window), under `ns2` and `quic` none",
);
const SHARES: Need<Stack> = needs(
    |stack| stack.sharing.kind != Sharing::None,
    "connections leave nothing behind; give `stack.sharing = \"remember\"`",
);
const OPENS_WINDOWS: Need<Stack> = needs(
    |stack| stack.sharing.kind.opens_windows(),
    "only `temporal` and `ensemble` open windows from a memory (stack.sharing)",
);

fn recovers_by(stack: &Stack, kinds: &[RecoveryKind]) -> bool {
    kinds.contains(&stack.recovery.kind)
}

fields! {
    /// A preset and what departs from it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct StackSpec beside Stack {
        /// Name of the preset: `rfc`, `linux`, `quic` and others that `flowstart stacks` lists.
        ///
        /// `quinn-adapter`, `noq-adapter` and `s2n-adapter` are these stacks with startups of the
        /// catalog.
        #[usual("linux")]
        pub preset: Option<String>,
        /// Maximum segment size, payload bytes, such as `1460B`.
        #[check(segment_size)]
        #[sets(framing.mss)]
        pub mss: Option<Bytes>,
        /// Header size of a data segment, such as `40B`.
        #[check(header_size)]
        #[sets(framing.header)]
        pub header: Option<Bytes>,
        /// Initial window: segments (`3`), bytes (`12kB`; of UDP payload with QUIC) or a rule.
        ///
        /// Rules: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002`.
        #[flag("WINDOW")]
        #[sets(window.initial)]
        pub iw: Option<InitialWindow>,
        /// Handshake before data: `1-rtt`, `0-rtt`, `tcp+tls13` and others.
        ///
        /// `1-rtt` is one exchange, TCP's or QUIC's. With `0-rtt` data leaves directly after the
        /// first packet. `tcp+tls13` are two exchanges, `tcp+tls12` three. `tcp+0-rtt` is early data
        /// of TLS 1.3, `tcp+tfo+tls13` and `tcp+tfo+0-rtt` begin in the SYN (Fast Open).
        #[sets(handshake)]
        pub handshake: Option<Handshake>,
        /// Size of the server's first flight, including its certificates.
        ///
        /// Above three times the client's 1200 bytes, or with TLS over TCP above the initial window,
        /// the flight takes another round trip. With `flight` its packets cross the path.
        #[usual("no more than one round trip takes")]
        #[check(within(Bytes(1)..=Bytes(1_000_000), "1B to 1MB"))]
        #[needs(WAITS)]
        #[sets(server_flight)]
        pub server_flight: Option<Bytes>,
        /// Handshake as packets, with messages of this kind: `classic`, `chain`, `compressed`,
        /// `resumed` or `post-quantum`.
        ///
        /// The client receives the data and opens the connection. The server's messages precede its
        /// response: they use and open its window, and can be lost. `server_flight` and others
        /// replace the sizes of the kind.
        #[usual("round trips are counted instead")]
        #[sets(messages.flight)]
        pub flight: Option<Flight>,
        /// Size of the ClientHello.
        #[usual("that of `flight`: 300B, 500B with a ticket, 1525B post-quantum")]
        #[check(within(Bytes(1)..=Bytes(60_000), "1B to 60kB"))]
        #[needs(PACKETS)]
        #[sets(messages.client_hello)]
        pub client_hello: Option<Bytes>,
        /// Size of the ServerHello, which is part of the server's flight.
        #[usual("that of `flight`: 90B, 1178B post-quantum")]
        #[check(within(Bytes(1)..=Bytes(60_000), "1B to 60kB"))]
        #[needs(PACKETS)]
        #[sets(messages.server_hello)]
        pub server_hello: Option<Bytes>,
        /// Size of the client's Finished, with its certificates if it has any.
        #[check(within(Bytes(1)..=Bytes(60_000), "1B to 60kB"))]
        #[needs(PACKETS)]
        #[sets(messages.client_flight)]
        pub client_flight: Option<Bytes>,
        /// Size of the client's request.
        #[check(within(Bytes(1)..=Bytes(60_000), "1B to 60kB"))]
        #[needs(PACKETS)]
        #[sets(messages.request)]
        pub request: Option<Bytes>,
        /// HelloRetryRequest: the server requires another key share (RFC 8446 §4.1.4).
        #[needs(PACKETS)]
        #[sets(messages.hello_retry)]
        pub hello_retry: Option<bool>,
        /// Retry: the server requires a token before its flight (RFC 9000 §8.1.2).
        #[needs(PACKETS, NUMBERS, NO_TOKEN)]
        #[sets(messages.retry)]
        pub retry: Option<bool>,
        /// Token of an earlier connection: the client's address is validated (RFC 9000 §8.1.3).
        #[needs(PACKETS, NUMBERS)]
        #[sets(messages.token)]
        pub token: Option<bool>,
        /// Limit of three times the received bytes: `exact`, `datagram-starts` or `fits`.
        ///
        /// It holds until the client's address is validated (RFC 9000 §8.1).
        #[needs(PACKETS, NUMBERS, LIMITED)]
        #[sets(messages.amplification)]
        pub amplification: Option<Amplification>,
        /// Number of packets that an end keeps until it has keys for them (RFC 9001 §5.7).
        #[check(within(0..=1000, "0 to 1000 packets"))]
        #[needs(PACKETS, NUMBERS)]
        #[sets(messages.keeps_early)]
        pub keeps_early: Option<u32>,
        /// Probes of the server repeat what is missing of all packet number spaces.
        ///
        /// `false` for those of the first space only (RFC 9002 §6.2.4).
        #[needs(PACKETS, NUMBERS)]
        #[sets(messages.probes_all_spaces)]
        pub probes_all_spaces: Option<bool>,
        /// Number of repeated SYNs before their timer doubles (`tcp_syn_linear_timeouts`).
        #[check(within(0..=127, "0 to 127 SYNs"))]
        #[needs(PACKETS, NO_NUMBERS)]
        #[sets(messages.syn_linear)]
        pub syn_linear: Option<u32>,
        /// Acknowledgement policy of the receiver: `every`, `delayed` or `quick-then-delayed`.
        #[flag("WHEN")]
        pub ack: Option<AckName>,
        /// Maximum delay of a delayed acknowledgement.
        #[needs(DELAYS_ACKS)]
        pub ack_timer: Option<Duration>,
        /// Segments per delayed acknowledgement.
        #[check(within(1..=1000, "1 to 1000 segments"))]
        #[needs(DELAYS_ACKS)]
        pub ack_every: Option<u32>,
        /// Reordering threshold in packets, above which a gap is acknowledged immediately.
        ///
        /// `0` for any number; with numbered packets only.
        #[check(within(0..=1000, "0 to 1000 packets"))]
        #[needs(NUMBERS)]
        #[sets(receiver.ack_reordering)]
        pub ack_reordering: Option<u32>,
        /// Size of the server's handshake confirmation, if its pacer delays acknowledgements.
        ///
        /// `0B` for a pacer that does not delay acknowledgements. As in noq, whose bucket holds a
        /// packet or ten milliseconds' worth at the beginning, and earns 15 000 bytes a round trip;
        /// with numbered packets only.
        #[check(within(Bytes(0)..=Bytes(15_000), "0B to 15kB"))]
        #[needs(NUMBERS)]
        #[sets(receiver.ack_pacer)]
        pub ack_pacer: Option<Bytes>,
        /// Size of the dataless packet after the first acknowledgement, if the sender has no data.
        ///
        /// `0B` for none. As in quinn, which then issues a new connection ID. The packet's
        /// acknowledgement reveals losses at the end of the first flight; with numbered packets
        /// only.
        #[check(within(Bytes(0)..=Bytes(1_500), "0B to 1500B"))]
        #[needs(NUMBERS)]
        #[sets(recovery.id_update)]
        pub id_update: Option<Bytes>,
        /// Number of segments that are acknowledged immediately before delays begin.
        #[needs(QUICK_AT_FIRST)]
        pub ack_quick: Option<u32>,
        /// Acknowledgement of packets that arrive after the end of the flow, as in ns-2.
        ///
        /// Such acknowledgements load the reverse path.
        #[sets(ns2.acks_when_over)]
        pub acks_when_over: Option<bool>,
        /// Delay also of the SYN's acknowledgement (ns-2's `SYN_immediate_ack_` off).
        #[needs(DELAYS_ACKS)]
        #[sets(receiver.delays_syn_ack)]
        pub delays_syn_ack: Option<bool>,
        /// First data packet in place of the SYN on a connection without handshake, as in ns-2.
        ///
        /// The packet has no header, and only the timer detects its loss. Its acknowledgement is
        /// delayed only where the SYN's is.
        #[sets(ns2.headerless_first)]
        pub headerless_first: Option<bool>,
        /// Loss recovery algorithm.
        #[sets(recovery.kind)]
        pub recovery: Option<RecoveryKind>,
        /// NextSeg rule 3 of RFC 6675.
        #[needs(BY_SACK)]
        #[sets(recovery.next_seg_rule_3)]
        pub next_seg_rule_3: Option<bool>,
        /// NextSeg rule 4 of RFC 6675.
        #[needs(BY_SACK)]
        #[sets(recovery.next_seg_rule_4)]
        pub next_seg_rule_4: Option<bool>,
        /// Limited transmit (RFC 3042).
        #[needs(BY_DUPLICATES)]
        #[sets(recovery.limited_transmit)]
        pub limited_transmit: Option<bool>,
        /// NewReno timer restart on the first partial acknowledgement only.
        #[needs(BY_NEWRENO)]
        #[sets(recovery.newreno.impatient)]
        pub newreno_impatient: Option<bool>,
        /// NewReno window deflation by the amount that a partial acknowledgement covers.
        #[needs(BY_NEWRENO)]
        #[sets(recovery.newreno.partial_deflation)]
        pub newreno_partial_deflation: Option<bool>,
        /// Timeout before the first round-trip sample.
        #[check(at_least_1ms)]
        #[sets(timer().initial)]
        pub rto_initial: Option<Duration>,
        /// Lower bound of the timeout.
        #[sets(timer().min)]
        pub rto_min: Option<Duration>,
        /// Upper bound of the timeout.
        #[check(at_least_1ms)]
        #[sets(timer().max)]
        pub rto_max: Option<Duration>,
        /// Clock granularity; with `ns2` the tick of RTT measurements.
        #[check(ticking)]
        #[needs(CLOCK)]
        #[sets(timer().granularity)]
        pub tick: Option<Duration>,
        /// Timeout backoff of lost SYNs until a valid RTT sample, as in ns-2.
        ///
        /// Otherwise data begins with a separate timeout (RFC 6298 §5.7).
        #[sets(ns2.syn_backoff_lasts)]
        pub syn_backoff_lasts: Option<bool>,
        /// Slow-start threshold of two segments after a lost SYN, as after any timeout in ns-2.
        #[sets(ns2.syn_loss_lowers_ssthresh)]
        pub syn_loss_lowers_ssthresh: Option<bool>,
        /// Phase of an ns-2 host's clock, as a share of a tick.
        ///
        /// A flow can override it (`flows.tick_phase`).
        #[check(phase)]
        #[needs(TICKS)]
        pub tick_phase: Option<f64>,
        /// Pacing of packets that the startup does not pace.
        ///
        /// `none`; `internal` as in Linux with its fq discipline; `rfc9002` with `pacing_gain`
        /// windows per round trip; `token-bucket` in bursts, as quinn and noq do.
        pub pacing: Option<PacingName>,
        /// Windows per round trip with `rfc9002` pacing.
        #[usual("1.25")]
        #[check(within(1.0..=100.0, "1 to 100"))]
        #[needs(PACES_BY_RFC9002)]
        pub pacing_gain: Option<f64>,
        /// Upper bound of the pacing rate, such as `10Mbps`.
        ///
        /// As Linux's SO_MAX_PACING_RATE, or as throughput advice of the network (SCONE). Bytes of
        /// headers count.
        #[usual("no limit")]
        #[check(rate)]
        #[needs(PACES_BY_RATE)]
        #[sets(pacing.max)]
        pub pacing_max: Option<Rate>,
        /// Bursts of new data as with segmentation offload.
        ///
        /// As in Linux: a burst that would be too small waits for an acknowledgement that is a
        /// millisecond away at most (`tcp_tso_should_defer`), and the last segment of several carries
        /// PSH.
        #[needs(BY_RACK)]
        #[sets(pacing.tso)]
        pub tso: Option<bool>,
        /// Reduction of the window in a recovery: `prr` (RFC 9937) or `instant`.
        ///
        /// With `instant` nothing leaves until enough of what was in flight has arrived or is lost.
        #[needs(BY_RACK)]
        #[sets(recovery.reduction)]
        pub reduction: Option<ReductionKind>,
        /// Detection of spurious timeouts (F-RTO, RFC 5682).
        #[needs(BY_RACK)]
        #[sets(recovery.frto)]
        pub frto: Option<bool>,
        /// Undo of the response to a spurious loss: `none`, `set-empties` or `full`.
        ///
        /// `full` restores window and threshold, and adapts to the path's reordering: as in Linux
        /// with `rack`, by timestamps with `sack`, and with `quic` as packets that counted as lost
        /// are acknowledged. `set-empties`, of `quic`, restores only the window, once all of them
        /// are acknowledged.
        #[needs(UNDOES)]
        #[sets(recovery.undo)]
        pub undo: Option<Undo>,
        /// Reports of duplicate segments by the receiver (DSACK, RFC 2883).
        #[needs(BY_RACK)]
        #[sets(receiver.dsack)]
        pub dsack: Option<bool>,
        /// Maximum delay of compressed selective acknowledgements; `0s` for none.
        ///
        /// As in Linux (`tcp_comp_sack_delay_ns`): from the fourth acknowledgement of a hole, and
        /// for a twentieth of a round trip at most.
        #[needs(WINDOW_GROWS)]
        #[sets(receiver.comp_sack_delay)]
        pub comp_sack_delay: Option<Duration>,
        /// Discard of segments with an older timestamp than the last at the receiver (PAWS).
        ///
        /// RFC 7323 §5, with timestamps of a millisecond. A delayed segment is discarded if a
        /// retransmission that left later has arrived before it.
        #[needs(WINDOW_GROWS)]
        #[sets(receiver.paws)]
        pub paws: Option<bool>,
        /// Selective acknowledgements (RFC 2018); without them `rack` counts duplicates.
        #[needs(BY_COUNTS)]
        #[sets(recovery.sack)]
        pub sack: Option<bool>,
        /// Response of both ends to congestion marks (ECN): `off`, `classic` or `l4s`.
        ///
        /// Queues with `ecn=true` mark instead of drop if both ends support ECN. `classic`, or
        /// `true`, responds as to a loss (RFC 3168). With `l4s` flows with a scalable congestion
        /// control (`prague`) send ECT(1) and count marks (RFC 9331, RFC 9768); others respond as
        /// with `classic`.
        #[sets(ecn)]
        pub ecn: Option<EcnMode>,
        /// Pacing by the RTT in whole ticks, as in ns-2.
        #[needs(TICKS)]
        #[sets(ns2.coarse_pacing)]
        pub coarse_pacing: Option<bool>,
        /// Maximum window that the receiver advertises, in bytes or packets, or `unlimited`.
        ///
        /// With a `receiver` of QUIC its first window, which that updates by its rules. `unlimited` is
        /// no limit, and no flow control of QUIC.
        #[flag("SIZE")]
        pub window: Option<WindowSize>,
        /// Receiver with flow control: `chrome`, `firefox`, `curl` or a QUIC stack; `none` for none.
        ///
        /// It begins with its shipped windows, of a client that downloads over one stream, and offers
        /// more by its rules. Over TCP it has those of HTTP/2 or yamux above TCP's own window:
        /// `chrome`, `firefox`, `curl`, `go`, `grpc-go`, `hyper`, `dotnet`, `node`, `go-yamux` and
        /// `rust-yamux` for downloads; `nginx`, `h2o` and `go-server` for uploads.
        #[flag("NAME")]
        #[sets(receive_window.receiver)]
        pub receiver: Option<ReceiverName>,
        /// Growth of the advertised window: `none` or `linux`.
        ///
        /// `none` is the full window from the beginning. `linux` grows with received data and with
        /// the receive buffer.
        pub window_growth: Option<GrowthName>,
        /// Initial receive buffer of a growing window (`tcp_rmem[1]`).
        ///
        /// It includes headers and bookkeeping: 32 MiB with `linux`, as on servers on fast paths;
        /// 131072B in a stock kernel.
        #[needs(WINDOW_GROWS)]
        pub receive_buffer: Option<Bytes>,
        /// Maximum receive buffer of a growing window (`tcp_rmem[2]`).
        ///
        /// 128 MiB with `linux`, 32 MiB in a stock kernel.
        #[needs(WINDOW_GROWS)]
        pub receive_buffer_max: Option<Bytes>,
        /// Payload's share of a full segment's memory, for a growing window.
        ///
        /// The kernel measures it on the first segment.
        #[usual(
            "that of a device that hands over packets one by one (160 in 256 of 1448 bytes)"
        )]
        #[check(share_of_buffer)]
        #[needs(WINDOW_GROWS)]
        pub receive_share: Option<f64>,
        /// Send buffer for unacknowledged data (`tcp_wmem[2]`).
        ///
        /// Under `linux` the memory of packets counts, the buffer grows with cwnd, and an application with
        /// more data resumes when half as much is free as is held; without pacing, bursts pass its size.
        /// Elsewhere payload counts, and it resumes when a third is free; with numbered packets as soon as
        /// anything is.
        #[usual("without limit")]
        #[check(send_buffer)]
        #[sets(window.send_buffer)]
        pub send_buffer: Option<Bytes>,
        /// Window scaling.
        #[needs(WINDOW_IS_SCALED)]
        #[sets(receive_window.scaling)]
        pub window_scaling: Option<bool>,
        /// Window after an idle time.
        #[sets(window.restart)]
        pub restart: Option<Restart>,
        /// Growth of the window also while the application limits the flight.
        #[sets(window.grow_when_app_limited)]
        pub grow_when_app_limited: Option<bool>,
        /// Number of consecutive timeouts after which a connection is aborted; `0` for no limit.
        #[sets(max_timeouts)]
        pub max_timeouts: Option<u32>,
        /// Minimum time between a host's interrupts, at which it processes packets.
        #[usual("60us where `interrupt_max` is, else every packet is seen at once")]
        pub interrupt_min: Option<Duration>,
        /// Maximum time between a host's interrupts.
        #[usual("100us where `interrupt_min` is, else every packet is seen at once")]
        #[check(time)]
        pub interrupt_max: Option<Duration>,
        /// Time that a host needs for one SACK block.
        #[check(time)]
        #[needs(BLOCKS)]
        pub sack_cost: Option<Duration>,
        /// Hosts of both ends: `ideal`, `linux-server`, `tokio`, `windows` or `fast-nic`, with parameters.
        ///
        /// Such as `tokio:cpu_packet=3us`. A host wakes late, sends and receives in batches, needs
        /// processor time and loses datagrams at its socket. A flow's preset does not change it.
        #[usual("ideal: no time, no loss")]
        #[check(host)]
        pub host: Option<String>,
        /// Hosts that receive data, where they differ.
        #[usual("as `host`")]
        #[check(host)]
        pub receiver_host: Option<String>,
        /// Coding of Quick-Start's rates: `powers` (RFC 4782) or `linear` (ns-2's function 1).
        #[sets(rate_codes)]
        pub rate_codes: Option<RateCodes>,
        /// State that connections between the same hosts share (RFC 9040).
        #[sets(sharing.kind)]
        pub sharing: Option<Sharing>,
        /// Lifetime of shared state.
        #[needs(SHARES)]
        #[sets(sharing.lifetime)]
        pub sharing_lifetime: Option<Duration>,
        /// Maximum window from shared state, in segments.
        #[usual("no limit")]
        #[check(within(1..=u32::MAX, "at least 1 segment"))]
        #[needs(OPENS_WINDOWS)]
        #[sets(sharing.cap)]
        pub sharing_cap: Option<u32>,
    }
}

fn host(field: &str, spec: &str) -> Result<(), RequestError> {
    let host = HostSpec::parse(spec);
    host.map_or_else(|e| Err(RequestError::new(field, e.to_string())), |_| Ok(()))
}

fn header_size(field: &str, header: &Bytes) -> Result<(), RequestError> {
    within(0..=1000, "a header of 0 B to 1 kB")(field, &header.0)
}

/// A smaller one could not hold a segment and what follows it.
fn send_buffer(field: &str, buffer: &Bytes) -> Result<(), RequestError> {
    within(Bytes(4096)..=Bytes(1 << 40), "a buffer of 4096 B to 1 TB")(field, buffer)
}

/// Backing off from nothing gets nowhere.
fn at_least_1ms(field: &str, timeout: &Duration) -> Result<(), RequestError> {
    within(Duration::from_millis(1)..=Duration::MAX, "at least 1ms")(field, timeout)
}

fn ticking(field: &str, tick: &Duration) -> Result<(), RequestError> {
    let problem = "`0s` is not a clock; a positive time is needed";
    match *tick {
        Duration::ZERO => Err(RequestError::new(field, problem)),
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

/// A window that a receiver advertises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindowSize {
    /// No limit.
    Unlimited,
    /// This many bytes or packets.
    Size(Amount),
}

impl fmt::Display for WindowSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WindowSize::Unlimited => f.write_str("unlimited"),
            WindowSize::Size(amount) => amount.fmt(f),
        }
    }
}

impl FromStr for WindowSize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<WindowSize, ParseError> {
        match text.trim() {
            "unlimited" => Ok(WindowSize::Unlimited),
            text => text.parse().map(WindowSize::Size),
        }
    }
}

impl Serialize for WindowSize {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WindowSize {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<WindowSize, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
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
    /// No growth: the full window from the beginning.
    None,
    /// Growth as in Linux.
    Linux,
}

/// Names of pacing rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacingName {
    /// No pacing.
    None,
    /// Pacing by the window and the RTT, as in Linux.
    Internal,
    /// Pacing by RFC 9002.
    Rfc9002,
    /// Pacing in bursts from a bucket of tokens, as in quinn.
    TokenBucket,
}
