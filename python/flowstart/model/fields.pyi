"""The parts of a scenario as frozen classes, by the definitions in `sim/src/spec`.

Written by `make docs`. What is left out is left to the simulator. A plain number is in bits per
second for a `Rate`, in seconds for a `Time` and in bytes for a `Size`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.model.custom import StartupLike
from flowstart.model.quantities import Rate, Size, Time

@dataclass(frozen=True, kw_only=True)
class NetworkPath:
    """The network: one bottleneck, or a chain of routers given as `hops`."""

    rate: Rate | None = None
    """Rate of the bottleneck, such as `5Mbps`."""
    rtt: Time | None = None
    """Two-way propagation delay without serialisation, such as `64ms`.

    Half of it is added in each direction at the bottleneck.
    """
    buffer: str | None = None
    """Buffer of the bottleneck, such as `60pkt`, `1bdp` or `90kB`.

    Unless given: 1bdp, at least 40pkt.
    """
    queue: str | None = None
    """Queue discipline, with parameters: `codel`, `red:th_min=5,th_max=15`.

    Disciplines: `drop-tail`, `marked-first`, `red`, `choke`, `codel`, `fq-codel`, `pie`, `xcp` and
    `dualpi2`.

    Unless given: drop-tail; xcp with the startup xcp.
    """
    loss: str | float | None = None
    """Random, independent loss on the forward path before the queue, such as `1%`.

    Unless given: 0.
    """
    reverse_rate: Rate | None = None
    """Rate of the reverse path.

    Unless given: as forward.
    """
    reverse_buffer: str | None = None
    """Buffer of the reverse path.

    Unless given: as forward.
    """
    reverse_queue: str | None = None
    """Queue discipline of the reverse path.

    Unless given: as forward.
    """
    reverse_loss: str | float | None = None
    """Random, independent loss on the reverse path.

    Unless given: 0.
    """
    access_rate: Rate | None = None
    """Rate of each host's access link.

    Hosts have access links where this or `access_delay` is given.

    Unless given: unlimited.
    """
    access_delay: Time | None = None
    """One-way delay of each access link, in addition to `rtt`.

    Unless given: 0s.
    """
    access_at: str | None = None
    """Hosts with access links: `both` sides, `left` or `right`.

    Unless given: both.
    """
    nic_rate: Rate | None = None
    """Rate of each host's network interface, before its access link.

    Unless given: unlimited.
    """
    router_pps: int | None = None
    """Forwarding rate of each router in packets per second, both directions together.

    A chain has a router before every hop and one after the last.

    Unless given: unlimited.
    """
    rate_trace: str | None = None
    """Mahimahi trace of delivery opportunities, instead of `rate`.

    Each line is a time in whole milliseconds at which 1500 bytes can be delivered. After the last
    line the trace repeats.
    """
    reverse_rate_trace: str | None = None
    """Mahimahi trace of the reverse path, instead of `reverse_rate`."""
    rate_steps: Sequence[RateStep] | None = None
    """Cycle of rates with their durations, instead of `rate`.

    In a file `[{ rate = "50Mbps", lasts = "10s" }, { rate = "0bps", lasts = "100ms" }]`, on the
    command line `50Mbps:10s,0bps:100ms`.
    """
    rate_variation: str | None = None
    """Model of rate variation around `rate`: `steps:every=15s,spread=0.5`, `wander:sigma=0.4`.

    `steps` changes the rate at fixed intervals, `wander` models a radio channel. Both use the seed.
    """
    policer_rate: Rate | None = None
    """Rate of a token-bucket policer before the bottleneck, on the forward path.

    Packets in excess of the rate and `policer_burst` are dropped; none is delayed.

    Unless given: no policer.
    """
    policer_burst: str | None = None
    """Burst size of the policer, such as `100kB`."""
    shaper_rate: Rate | None = None
    """Rate of a token-bucket shaper before the line, on the forward path.

    Packets in excess of the rate and `shaper_burst` wait in the buffer of the line. A burst passes
    at `rate`.

    Unless given: no shaper.
    """
    shaper_burst: str | None = None
    """Burst size of the shaper, such as `10kB`."""
    delay_at: str | None = None
    """Delay in a queue before the line: `forward`, or `loopback`.

    `forward` adds all of `rtt`, and `jitter`, on the forward path, as netem on an interface. On
    `loopback` both directions pass one queue and one line, as on `lo`. Random loss is before the
    queue.

    Unless given: half in each direction, behind the line.
    """
    delay_limit: int | None = None
    """Number of packets that the queue of the delay holds; more are dropped.

    Unless given: unlimited.
    """
    delay_limit_with_queue: bool | None = None
    """Count of packets in the line's buffer and in transmission in `delay_limit`.

    Unless given: false.
    """
    delay_skip: str | float | None = None
    """Share of packets that skip the delay, such as `25%`, and overtake others."""
    delay_skip_gap: int | None = None
    """Distance of packets that skip the delay: all but the last of so many do not.

    Unless given: 1.
    """
    delay_skip_correlation: str | float | None = None
    """Weight of the previous draw in each draw for `delay_skip`, such as `50%`.

    As in netem, such draws are near a half, so that a small share becomes smaller.

    Unless given: 0.
    """
    loss_burst: str | float | None = None
    """Mean loss-burst length of `loss`, in packets.

    The model of Gilbert and Elliott, with `loss` as the mean share: all packets are lost in its bad
    state and none in its good one. No burst outlasts a pause of 100 ms.

    Unless given: independent losses.
    """
    reverse_loss_burst: str | float | None = None
    """Mean loss-burst length of `reverse_loss`, in packets.

    Unless given: independent losses.
    """
    aggregation: str | None = None
    """Time between accesses to a shared medium: `4ms`, `exponential:mean=4ms`.

    All packets that arrived since the last access leave together, as on Wi-Fi. The two directions
    are independent. A value or a distribution.
    """
    jitter: str | None = None
    """Extra delay on the forward path: `uniform:most=5ms`, `exponential:mean=2ms`.

    A value or a distribution.
    """
    reverse_jitter: str | None = None
    """Extra delay on the reverse path: a value or a distribution."""
    jitter_every: Time | None = None
    """Duration of a draw of jitter.

    `15s` for a route that changes, `10ms` for a scheduler's frame.

    Unless given: one packet.
    """
    reordering: bool | None = None
    """Reordering by jitter: packets with less delay overtake others.

    Unless given: false.
    """
    ripple: Time | None = None
    """Peak-to-peak RTT variation: a sine from zero to this value on top of `rtt`."""
    ripple_period: Time | None = None
    """Period of the RTT variation."""
    ack_batch: Time | None = None
    """Interval at which acknowledgements reach the data sender in batches."""
    ack_thinning: bool | None = None
    """Removal of all but the newest of a flow's plain acknowledgements in a batch.

    The filter of a modem produces such stretch acknowledgements.

    Unless given: false.
    """
    buffer_accounting: str | None = None
    """Buffer accounting: with (`ns2`) or without (`linux`) the packet in transmission.

    Unless given: the stack's.
    """
    hosts: int | None = None
    """Number of host pairs on a dumbbell, used in turn.

    Unless given: one for each flow.
    """
    quick_start: QuickStart | Mapping[str, Any] | None = None
    """Admission of rate requests by routers: `none`, `rfc`, `target:threshold=90%`.

    A table with `admission` in a scenario file.

    Unless given: the stack's.
    """
    hops: Sequence[Hop] | None = None
    """A chain of routers, instead of `rate` and `rtt`."""
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Hop:
    """One link of a chain of routers, the same in both directions."""

    rate: Rate
    """Rate of the link."""
    delay: Time
    """One-way delay of the link."""
    buffer: str | None = None
    """Buffer of the link.

    Unless given: 1bdp of the whole chain, at least 40pkt.
    """
    queue: str | None = None
    """Queue discipline of the link, as in `path.queue`.

    Unless given: the path's.
    """
    loss: str | float | None = None
    """Random, independent loss on the forward path.

    Unless given: 0.
    """
    quick_start: bool | None = None
    """Support of Quick-Start's option by the routers at both ends of the link.

    Unless given: supported.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class RateStep:
    """A rate that holds for some time."""

    rate: Rate
    """Rate of the step; `0bps` for an outage."""
    lasts: Time
    """Duration of the step."""
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class QuickStart:
    """Routers that decide on rate requests (RFC 4782); absent fields are the stack's."""

    admission: str | None = None
    """Rule of admission."""
    threshold: str | float | None = None
    """Utilisation above which no request is approved, such as `90%`."""
    allocation: str | float | None = None
    """Share of a link that may be allocated."""
    state_delay: Time | None = None
    """Minimum lifetime of an approval, and the interval over which utilisation is measured."""
    max_rate: Rate | None = None
    """Maximum rate of one request under `share`."""
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A preset and what departs from it."""

    preset: str | None = None
    """Name of the preset: `rfc`, `linux`, `quic` and others that `flowstart stacks` lists.

    `quinn-adapter`, `noq-adapter` and `s2n-adapter` are these stacks with startups of the catalog.

    Unless given: linux.
    """
    mss: Size | None = None
    """Maximum segment size, payload bytes, such as `1460B`."""
    header: Size | None = None
    """Header size of a data segment, such as `40B`."""
    iw: str | int | None = None
    """Initial window: segments (`3`), bytes (`12kB`; of UDP payload with QUIC) or a rule.

    Rules: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002`.
    """
    handshake: str | None = None
    """Handshake before data: `1-rtt`, `0-rtt`, `tcp+tls13` and others.

    `1-rtt` is one exchange, TCP's or QUIC's. With `0-rtt` data leaves directly after the first
    packet. `tcp+tls13` are two exchanges, `tcp+tls12` three. `tcp+0-rtt` is early data of TLS 1.3,
    `tcp+tfo+tls13` and `tcp+tfo+0-rtt` begin in the SYN (Fast Open).
    """
    server_flight: Size | None = None
    """Size of the server's first flight, including its certificates.

    Above three times the client's 1200 bytes, or with TLS over TCP above the initial window, the
    flight takes another round trip. With `flight` its packets cross the path.

    Unless given: no more than one round trip takes.
    """
    flight: str | None = None
    """Handshake as packets, with messages of this kind: `classic`, `chain`, `compressed`, `resumed`
    or `post-quantum`.

    The client receives the data and opens the connection. The server's messages precede its
    response: they use and open its window, and can be lost. `server_flight` and others replace the
    sizes of the kind.

    Unless given: round trips are counted instead.
    """
    client_hello: Size | None = None
    """Size of the ClientHello.

    Unless given: that of `flight`: 300B, 500B with a ticket, 1525B post-quantum.
    """
    server_hello: Size | None = None
    """Size of the ServerHello, which is part of the server's flight.

    Unless given: that of `flight`: 90B, 1178B post-quantum.
    """
    client_flight: Size | None = None
    """Size of the client's Finished, with its certificates if it has any."""
    request: Size | None = None
    """Size of the client's request."""
    hello_retry: bool | None = None
    """HelloRetryRequest: the server requires another key share (RFC 8446 §4.1.4)."""
    retry: bool | None = None
    """Retry: the server requires a token before its flight (RFC 9000 §8.1.2)."""
    token: bool | None = None
    """Token of an earlier connection: the client's address is validated (RFC 9000 §8.1.3)."""
    amplification: str | None = None
    """Limit of three times the received bytes: `exact`, `datagram-starts` or `fits`.

    It holds until the client's address is validated (RFC 9000 §8.1).
    """
    keeps_early: int | None = None
    """Number of packets that an end keeps until it has keys for them (RFC 9001 §5.7)."""
    probes_all_spaces: bool | None = None
    """Probes of the server repeat what is missing of all packet number spaces.

    `false` for those of the first space only (RFC 9002 §6.2.4).
    """
    syn_linear: int | None = None
    """Number of repeated SYNs before their timer doubles (`tcp_syn_linear_timeouts`)."""
    ack: str | None = None
    """Acknowledgement policy of the receiver: `every`, `delayed` or `quick-then-delayed`."""
    ack_timer: Time | None = None
    """Maximum delay of a delayed acknowledgement."""
    ack_every: int | None = None
    """Segments per delayed acknowledgement."""
    ack_reordering: int | None = None
    """Reordering threshold in packets, above which a gap is acknowledged immediately.

    `0` for any number; with numbered packets only.
    """
    ack_pacer: Size | None = None
    """Size of the server's handshake confirmation, if its pacer delays acknowledgements.

    `0B` for a pacer that does not delay acknowledgements. As in noq, whose bucket holds a packet or
    ten milliseconds' worth at the beginning, and earns 15 000 bytes a round trip; with numbered
    packets only.
    """
    id_update: Size | None = None
    """Size of the dataless packet after the first acknowledgement, if the sender has no data.

    `0B` for none. As in quinn, which then issues a new connection ID. The packet's acknowledgement
    reveals losses at the end of the first flight; with numbered packets only.
    """
    ack_quick: int | None = None
    """Number of segments that are acknowledged immediately before delays begin."""
    acks_when_over: bool | None = None
    """Acknowledgement of packets that arrive after the end of the flow, as in ns-2.

    Such acknowledgements load the reverse path.
    """
    delays_syn_ack: bool | None = None
    """Delay also of the SYN's acknowledgement (ns-2's `SYN_immediate_ack_` off)."""
    headerless_first: bool | None = None
    """First data packet in place of the SYN on a connection without handshake, as in ns-2.

    The packet has no header, and only the timer detects its loss. Its acknowledgement is delayed
    only where the SYN's is.
    """
    recovery: str | None = None
    """Loss recovery algorithm."""
    next_seg_rule_3: bool | None = None
    """NextSeg rule 3 of RFC 6675."""
    next_seg_rule_4: bool | None = None
    """NextSeg rule 4 of RFC 6675."""
    limited_transmit: bool | None = None
    """Limited transmit (RFC 3042)."""
    newreno_impatient: bool | None = None
    """NewReno timer restart on the first partial acknowledgement only."""
    newreno_partial_deflation: bool | None = None
    """NewReno window deflation by the amount that a partial acknowledgement covers."""
    rto_initial: Time | None = None
    """Timeout before the first round-trip sample."""
    rto_min: Time | None = None
    """Lower bound of the timeout."""
    rto_max: Time | None = None
    """Upper bound of the timeout."""
    tick: Time | None = None
    """Clock granularity; with `ns2` the tick of RTT measurements."""
    syn_backoff_lasts: bool | None = None
    """Timeout backoff of lost SYNs until a valid RTT sample, as in ns-2.

    Otherwise data begins with a separate timeout (RFC 6298 §5.7).
    """
    syn_loss_lowers_ssthresh: bool | None = None
    """Slow-start threshold of two segments after a lost SYN, as after any timeout in ns-2."""
    tick_phase: float | None = None
    """Phase of an ns-2 host's clock, as a share of a tick.

    A flow can override it (`flows.tick_phase`).
    """
    pacing: str | None = None
    """Pacing of packets that the startup does not pace.

    `none`; `internal` as in Linux with its fq discipline; `rfc9002` with `pacing_gain` windows per
    round trip; `token-bucket` in bursts, as quinn and noq do.
    """
    pacing_gain: float | None = None
    """Windows per round trip with `rfc9002` pacing.

    Unless given: 1.25.
    """
    pacing_max: Rate | None = None
    """Upper bound of the pacing rate, such as `10Mbps`.

    As Linux's SO_MAX_PACING_RATE, or as throughput advice of the network (SCONE). Bytes of headers
    count.

    Unless given: no limit.
    """
    tso: bool | None = None
    """Bursts of new data as with segmentation offload.

    As in Linux: a burst that would be too small waits for an acknowledgement that is a millisecond
    away at most (`tcp_tso_should_defer`), and the last segment of several carries PSH.
    """
    reduction: str | None = None
    """Reduction of the window in a recovery: `prr` (RFC 9937) or `instant`.

    With `instant` nothing leaves until enough of what was in flight has arrived or is lost.
    """
    frto: bool | None = None
    """Detection of spurious timeouts (F-RTO, RFC 5682)."""
    undo: str | None = None
    """Undo of the response to a spurious loss: `none`, `set-empties` or `full`.

    `full` restores window and threshold, and adapts to the path's reordering: as in Linux with
    `rack`, by timestamps with `sack`, and with `quic` as packets that counted as lost are
    acknowledged. `set-empties`, of `quic`, restores only the window, once all of them are
    acknowledged.
    """
    dsack: bool | None = None
    """Reports of duplicate segments by the receiver (DSACK, RFC 2883)."""
    comp_sack_delay: Time | None = None
    """Maximum delay of compressed selective acknowledgements; `0s` for none.

    As in Linux (`tcp_comp_sack_delay_ns`): from the fourth acknowledgement of a hole, and for a
    twentieth of a round trip at most.
    """
    paws: bool | None = None
    """Discard of segments with an older timestamp than the last at the receiver (PAWS).

    RFC 7323 §5, with timestamps of a millisecond. A delayed segment is discarded if a
    retransmission that left later has arrived before it.
    """
    sack: bool | None = None
    """Selective acknowledgements (RFC 2018); without them `rack` counts duplicates."""
    ecn: str | bool | None = None
    """Response of both ends to congestion marks (ECN): `off`, `classic` or `l4s`.

    Queues with `ecn=true` mark instead of drop if both ends support ECN. `classic`, or `true`,
    responds as to a loss (RFC 3168). With `l4s` flows with a scalable congestion control (`prague`)
    send ECT(1) and count marks (RFC 9331, RFC 9768); others respond as with `classic`.
    """
    coarse_pacing: bool | None = None
    """Pacing by the RTT in whole ticks, as in ns-2."""
    window: str | None = None
    """Maximum window that the receiver advertises, in bytes or packets, or `unlimited`.

    With a `receiver` of QUIC its first window, which that updates by its rules. `unlimited` is no
    limit, and no flow control of QUIC.
    """
    receiver: str | None = None
    """Receiver with flow control: `chrome`, `firefox`, `curl` or a QUIC stack; `none` for none.

    It begins with its shipped windows, of a client that downloads over one stream, and offers more
    by its rules. Over TCP it has those of HTTP/2 or yamux above TCP's own window: `chrome`,
    `firefox`, `curl`, `go`, `grpc-go`, `hyper`, `dotnet`, `node`, `go-yamux` and `rust-yamux` for
    downloads; `nginx`, `h2o` and `go-server` for uploads.
    """
    window_growth: str | None = None
    """Growth of the advertised window: `none` or `linux`.

    `none` is the full window from the beginning. `linux` grows with received data and with the
    receive buffer.
    """
    receive_buffer: Size | None = None
    """Initial receive buffer of a growing window (`tcp_rmem[1]`).

    It includes headers and bookkeeping: 32 MiB with `linux`, as on servers on fast paths; 131072B
    in a stock kernel.
    """
    receive_buffer_max: Size | None = None
    """Maximum receive buffer of a growing window (`tcp_rmem[2]`).

    128 MiB with `linux`, 32 MiB in a stock kernel.
    """
    receive_share: float | None = None
    """Payload's share of a full segment's memory, for a growing window.

    The kernel measures it on the first segment.

    Unless given: that of a device that hands over packets one by one (160 in 256 of 1448 bytes).
    """
    send_buffer: Size | None = None
    """Send buffer for unacknowledged data (`tcp_wmem[2]`).

    Under `linux` the memory of packets counts, the buffer grows with cwnd, and an application with
    more data resumes when half as much is free as is held; without pacing, bursts pass its size.
    Elsewhere payload counts, and it resumes when a third is free; with numbered packets as soon as
    anything is.

    Unless given: without limit.
    """
    window_scaling: bool | None = None
    """Window scaling."""
    restart: str | None = None
    """Window after an idle time."""
    grow_when_app_limited: bool | None = None
    """Growth of the window also while the application limits the flight."""
    max_timeouts: int | None = None
    """Number of consecutive timeouts after which a connection is aborted; `0` for no limit."""
    interrupt_min: Time | None = None
    """Minimum time between a host's interrupts, at which it processes packets.

    Unless given: 60us where `interrupt_max` is, else every packet is seen at once.
    """
    interrupt_max: Time | None = None
    """Maximum time between a host's interrupts.

    Unless given: 100us where `interrupt_min` is, else every packet is seen at once.
    """
    sack_cost: Time | None = None
    """Time that a host needs for one SACK block."""
    host: str | None = None
    """Hosts of both ends: `ideal`, `linux-server`, `tokio`, `windows` or `fast-nic`, with
    parameters.

    Such as `tokio:cpu_packet=3us`. A host wakes late, sends and receives in batches, needs
    processor time and loses datagrams at its socket. A flow's preset does not change it.

    Unless given: ideal: no time, no loss.
    """
    receiver_host: str | None = None
    """Hosts that receive data, where they differ.

    Unless given: as `host`.
    """
    rate_codes: str | None = None
    """Coding of Quick-Start's rates: `powers` (RFC 4782) or `linear` (ns-2's function 1)."""
    sharing: str | None = None
    """State that connections between the same hosts share (RFC 9040)."""
    sharing_lifetime: Time | None = None
    """Lifetime of shared state."""
    sharing_cap: int | None = None
    """Maximum window from shared state, in segments.

    Unless given: no limit.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Flow:
    """A connection, or `count` of them one `stagger` after the other."""

    startup: StartupLike | None = None
    """Startup, with parameters: `limited-slow-start:max_ssthresh=50`.

    A comparison sets the startup of flows without one.

    Unless given: slow-start.
    """
    cc: str | None = None
    """Congestion control after startup.

    Unless given: the stack's.
    """
    landing: str | None = None
    """Window at the end of startup: a factor of `cwnd`, `delivered`, `bdp`, or
    `half-then-recovery`.

    It replaces the first reduction, whatever ends the startup: a loss, a mark or a detected full
    path. `0.5` is half of the window, `0.7delivered` 0.7 of what the last round trip delivered, and
    `bdp` the delivery rate times the smallest RTT. `half-then-recovery` halves the window at a
    detected full path, and losses of data sent before do not reduce it again; at a loss it changes
    nothing.

    Unless given: as startup and congestion control have it.
    """
    stack: Endpoint | Mapping[str, Any] | None = None
    """Fields of the stack that override the scenario's for these flows.

    A `preset` among them replaces the whole stack. Fields of the hosts, such as `interrupt_min`,
    exist only for the scenario.

    Unless given: the scenario's.
    """
    size: Size | None = None
    """Bytes to transfer, such as `100kB` or `64pkt`.

    Unless given: without limit.
    """
    mss: Size | None = None
    """Maximum segment size of these flows.

    Unless given: the stack's.
    """
    start: Time | None = None
    """Time at which the first connection opens.

    Unless given: 0s.
    """
    start_after: AfterFlow | Mapping[str, Any] | None = None
    """Flow whose startup must end first, instead of `start`; this flow opens `pause` later.

    Without an end of that startup it never opens.
    """
    count: int | None = None
    """Number of flows of this kind.

    Unless given: 1.
    """
    stagger: Time | None = None
    """Time from one opening to the next.

    Unless given: 0s.
    """
    jitter: Time | None = None
    """Upper bound of a uniform random delay of each opening.

    Unless given: 0s.
    """
    direction: str | None = None
    """Direction of the data: `forward`, `reverse` or `alternate`.

    Unless given: forward.
    """
    rtt: Time | None = None
    """Two-way propagation delay of this flow; its access link adds the excess over the path's.

    Unless given: the path's.
    """
    handshake: bool | None = None
    """Handshake before data.

    `false` starts with data on a connection whose RTT is known.

    Unless given: true.
    """
    opener: str | None = None
    """End that opens the connection: `sender` or `receiver` of the data.

    A server's data goes to a client that has opened: the client's window is known whole when data
    leaves, and the handshake takes half a round trip more.

    Unless given: sender.
    """
    cached_cwnd: str | None = None
    """Congestion window cached from an earlier connection, such as `1bdp` or `40pkt`.

    For startups that use cached state.
    """
    cached_rtt: Time | None = None
    """RTT cached with the window. The cached rate is one window per such RTT.

    Unless given: that of the flow.
    """
    interface_rate: Rate | None = None
    """Interface rate that a startup assumes for its host, such as `1Gbps`.

    It is information for the startup only; `path.nic_rate` is a link.

    Unless given: that of the first link on the way.
    """
    available_rate: Rate | None = None
    """Available rate for these flows, such as `10Mbps`.

    It does not change the run. The table `startups` then shows when they reached the rate, and at
    which cost.
    """
    writes: Sequence[Write] | None = None
    """Writes of the application on one connection, instead of `size`."""
    source: str | None = None
    """Source of writes, instead of `size` or `writes`, such as `periodic:size=50kB,every=33ms`.

    Also `on-off:rate=50Mbps,on=2s,off=exponential:mean=4s`, `random:size=...,every=...` and
    `trace:FILE.csv` with columns `time_s` and `bytes`. Each has a row in the table `delays`.
    """
    from_hop: int | None = None
    """First hop of the flow, counted from 0.

    Unless given: 0.
    """
    to_hop: int | None = None
    """Last hop of the flow.

    Unless given: the last.
    """
    tick_phase: float | None = None
    """Phase of the clocks of these flows' hosts, as a share of a tick.

    Only ns-2's hosts count in ticks.

    Unless given: the stack's.
    """
    forced_drops: Sequence[int] | None = None
    """Packets to drop at the bottleneck; the SYN is number 0."""
    handshake_drops: Sequence[str] | None = None
    """Packets of a handshake to drop at the bottleneck, such as `hello` or `flight:2`.

    Kinds: `syn`, `synack`, `ack`, `hello`, `flight`, `finished`, with a number for others than the
    first. Only a handshake of packets has them (`stack.flight`).
    """
    delays: Mapping[int, Time] | None = None
    """Packets to delay behind the bottleneck, such as `{ 50 = "4ms" }`.

    Positions as for `forced_drops`. Other packets overtake a delayed one.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Write:
    """Bytes that the application writes to its connection, at a given time or after a write."""

    size: Size
    """Size of the write."""
    at: Time | None = None
    """Time of the write after the flow's start."""
    after: After | Mapping[str, Any] | None = None
    """Write of another flow that must be delivered first, instead of `at`.

    That flow's data goes in the opposite direction, to the end that sends this write. If the first
    write of a flow waits, the flow opens then. Later writes wait as well.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class After:
    """Dependency of a write: all data of a write that its end receives on another flow."""

    flow: int
    """The place of that flow among `flows`, from 0."""
    write: int | None = None
    """Position of the write among its `writes`, from 0.

    Unless given: 0.
    """
    pause: str | float | None = None
    """Time that the application needs before its write; a value or a distribution.

    Unless given: 0s.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class AfterFlow:
    """Time after an event of another flow."""

    flow: int
    """The place of that flow among `flows`, from 0."""
    pause: Time | None = None
    """Time after the event.

    Unless given: 0s.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class WebTraffic:
    """Web sessions as ns-2 generates them.

    A session reads pages in sequence. A page has a number of objects, whose requests do not wait
    for each other. An object is a request and its response. Variables are distributions, such as
    `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or plain values.
    """

    startup: StartupLike | None = None
    """Startup of responses, with parameters; requests always use slow start.

    A comparison sets the startup of entries without one.

    Unless given: slow-start.
    """
    cc: str | None = None
    """Congestion control of responses after startup.

    Unless given: the stack's.
    """
    stack: Endpoint | Mapping[str, Any] | None = None
    """Fields of the stack that override the scenario's for responses.

    As for `flows.stack`.

    Unless given: the scenario's.
    """
    interface_rate: Rate | None = None
    """Interface rate that the responses' startup assumes for its host, such as `1Gbps`.

    It is information for the startup only; `path.nic_rate` is a link.

    Unless given: that of the first link on the way.
    """
    sessions: int | None = None
    """Number of sessions.

    Unless given: 1.
    """
    start: Time | None = None
    """Start of the first session.

    Unless given: 0s.
    """
    interval: str | float | None = None
    """Time between the starts of sessions; a distribution.

    Unless given: 0s.
    """
    pages: str | float | None = None
    """Number of pages of a session; a distribution.

    Unless given: 1.
    """
    page_pause: str | float | None = None
    """Time between pages; a distribution.

    Unless given: 0s.
    """
    page_pause_from: str | None = None
    """Start of `page_pause`: the `end` of a page, or its `start`.

    A page ends when its last object is done.

    Unless given: end.
    """
    objects: str | float | None = None
    """Number of objects of a page; a distribution.

    Unless given: 1.
    """
    object_pause: str | float | None = None
    """Time between the requests of a page; a distribution.

    Unless given: 0s.
    """
    size: str | float | None = None
    """Size of an object in packets; a distribution."""
    max_size: int | None = None
    """Maximum size of an object in packets; larger ones are truncated, and marked so.

    Unless given: no limit.
    """
    request: str | None = None
    """Size of a request, such as `1pkt` or `300B`.

    Unless given: 1pkt.
    """
    single_connection: bool | None = None
    """Response on the request's connection, as soon as the server has the request.

    Otherwise, as in ns-2, the server opens a separate connection when the request has been
    acknowledged.

    Unless given: false.
    """
    direction: str | None = None
    """Direction of responses: `forward` has the servers on the left.

    Sessions of an entry take turns with `alternate`.

    Unless given: forward.
    """
    clients: int | None = None
    """Number of clients; each session is at one of them.

    With `path.hosts` they are the first of those, otherwise separate hosts.

    Unless given: 1.
    """
    servers: int | None = None
    """Number of servers; each page comes from one of them.

    Unless given: 1.
    """
    from_hop: int | None = None
    """First hop of responses, counted from 0.

    Unless given: 0.
    """
    to_hop: int | None = None
    """Last hop of responses.

    Unless given: the last.
    """
    def __post_init__(self) -> None: ...
