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
    """Routers that decide on rate requests (RFC 4782); what is left out is the stack's."""

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
    """`rfc`, `ns2`, `opnet`, `linux`, `quic`, `quinn`, `noq` or `s2n`.

    Unless given: rfc.
    """
    mss: Size | None = None
    """Maximum segment size, payload bytes, such as `1460B`."""
    header: Size | None = None
    """Bytes of a data segment beside its payload, such as `40B`."""
    iw: str | int | None = None
    """Initial window: segments (`3`) or a rule (`rfc6928`).

    Rules: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002`.
    """
    handshake: str | None = None
    """What is said before data leaves: `1-rtt`, `0-rtt` or `tcp+tls13`.

    `1-rtt` is an exchange, TCP's or QUIC's; under `0-rtt` data leaves right behind the first
    packet; `tcp+tls13` are two exchanges.
    """
    server_flight: Size | None = None
    """Bytes of what a server says first, its certificates among it.

    Beyond three times the client's 1200 bytes, or under `tcp+tls13` the initial window, they take
    another round trip.

    Unless given: no more than one round trip takes.
    """
    ack: str | None = None
    """Acknowledgement policy of the receiver: `every`, `delayed` or `quick-then-delayed`."""
    ack_timer: Time | None = None
    """How long a delayed acknowledgement may wait."""
    ack_every: int | None = None
    """Segments per delayed acknowledgement."""
    ack_reordering: int | None = None
    """By how many packets a missing one may be overtaken until that is acknowledged at once.

    `0` for any number; with numbered packets only.
    """
    ack_pacer: Size | None = None
    """Bytes with which the server confirms the handshake, where acknowledgements wait until its
    pacer has earned them again; `0B` for a pacer that lets acknowledgements pass.

    As in noq, whose bucket holds a packet or ten milliseconds' worth at the beginning, and earns 15
    000 bytes a round trip; with numbered packets only.
    """
    id_update: Size | None = None
    """Bytes of a packet without data by which the sender answers the first acknowledgement, unless
    it has data to send then; `0B` for none.

    As in quinn, which gives a new connection ID then. Its acknowledgement shows what was lost at
    the end of the first flight; with numbered packets only.
    """
    ack_quick: int | None = None
    """Segments acknowledged at once before delaying begins."""
    acks_when_over: bool | None = None
    """What arrives when the flow has finished is still acknowledged, as in ns-2.

    Such acknowledgements load the way back.
    """
    delays_syn_ack: bool | None = None
    """The SYN's acknowledgement too may wait for the timer (ns-2's `SYN_immediate_ack_` off)."""
    headerless_first: bool | None = None
    """On a connection without handshake the first data packet stands in for the SYN, as in ns-2. It
    has no header, nothing but the timer finds that it was lost, and its acknowledgement waits only
    where the SYN's does.
    """
    recovery: str | None = None
    """How loss is repaired."""
    next_seg_rule_3: bool | None = None
    """NextSeg rule 3 of RFC 6675."""
    next_seg_rule_4: bool | None = None
    """NextSeg rule 4 of RFC 6675."""
    limited_transmit: bool | None = None
    """Limited transmit (RFC 3042)."""
    newreno_impatient: bool | None = None
    """NewReno: restart the timer on the first partial acknowledgement only."""
    newreno_partial_deflation: bool | None = None
    """NewReno: deflate by what a partial acknowledgement covers."""
    rto_initial: Time | None = None
    """Timeout before the first round-trip sample."""
    rto_min: Time | None = None
    """Lower bound of the timeout."""
    rto_max: Time | None = None
    """Upper bound of the timeout."""
    tick: Time | None = None
    """Clock granularity; under `ns2` the tick in which round trips are counted."""
    syn_backoff_lasts: bool | None = None
    """What lost SYNs have made of the timeout holds until a valid round-trip sample.

    As in ns-2; otherwise data begins with a timeout of its own (RFC 6298 §5.7).
    """
    syn_loss_lowers_ssthresh: bool | None = None
    """A lost SYN lowers the slow-start threshold to two segments, as any timeout does in ns-2."""
    tick_phase: float | None = None
    """Where in a tick an ns-2 host's clock starts, as a share of a tick.

    A flow may have its own (`flows.tick_phase`).
    """
    pacing: str | None = None
    """How packets are spaced out where a startup does not: `none`, `internal` or `rfc9002`.

    `internal` as Linux does under its fq discipline, `rfc9002` by so many windows a round trip.
    """
    pacing_gain: float | None = None
    """How many windows that are under `rfc9002`.

    Unless given: 1.25.
    """
    tso: bool | None = None
    """Whether new data leaves in bursts as segmentation offload takes it.

    As in Linux: what would be too small a burst waits for an acknowledgement that is a millisecond
    away at most (`tcp_tso_should_defer`), and the last segment of several carries PSH.
    """
    frto: bool | None = None
    """Whether a timeout may turn out to have been for nothing (F-RTO, RFC 5682)."""
    undo: str | None = None
    """What happens where a loss turns out to have been none: `none`, `set-empties` or `full`.

    Under `full` window and threshold come back, and what there is to learn of the path's reordering
    is learned: as in Linux under `rack`, by timestamps under `sack`, and under `quic` as packets
    that counted as lost are acknowledged. `set-empties`, of `quic`, has only the window come back,
    once all of them are.
    """
    dsack: bool | None = None
    """Whether the receiver reports what arrives twice (DSACK, RFC 2883)."""
    comp_sack_delay: Time | None = None
    """For how long the answer to what comes above a hole may wait for more of it.

    As Linux has it (`tcp_comp_sack_delay_ns`), from the fourth answer on that tells of one hole,
    and for a twentieth of a round trip at most; `0s` for not at all.
    """
    paws: bool | None = None
    """Whether the receiver discards what left before that which it has heard of last (PAWS).

    RFC 7323 §5, by timestamps of a millisecond. What a path has delayed is lost to it where a
    retransmission that left later has come before.
    """
    sack: bool | None = None
    """Whether the receiver reports what has arrived above a hole (RFC 2018); without, `rack` counts
    duplicates as Linux does.
    """
    ecn: str | bool | None = None
    """What both ends make of congestion marks (ECN): `off`, `classic` or `l4s`.

    Queues with `ecn=true` mark instead of dropping where the ends speak ECN. `classic`, or `true`,
    answers as to a loss (RFC 3168). Under `l4s` flows whose congestion avoidance scales its answer
    (`prague`) send ECT(1) and have marks counted (RFC 9331, RFC 9768); others do as under
    `classic`.
    """
    coarse_pacing: bool | None = None
    """Pace by the round trip in whole ticks, as ns-2 does."""
    window: str | None = None
    """The largest window that the receiver advertises, in bytes or packets."""
    window_growth: str | None = None
    """How the advertised window gets there: `none` or `linux`.

    `none` has all of it from the beginning, `linux` grows with what arrives and with the receive
    buffer.
    """
    receive_buffer: Size | None = None
    """With growth: the receive buffer at the opening in bytes (`tcp_rmem[1]`).

    Headers and bookkeeping included: 32 MiB under `linux`, as servers on fast paths have it;
    131072B in a stock kernel.
    """
    receive_buffer_max: Size | None = None
    """And what it may grow to (`tcp_rmem[2]`).

    128 MiB under `linux`, 32 MiB in a stock kernel.
    """
    receive_share: float | None = None
    """With growth: the share of a full segment's memory that is payload.

    The kernel measures it on the first.

    Unless given: that of a device that hands over packets one by one (160 in 256 of 1448 bytes).
    """
    send_buffer: Size | None = None
    """How many bytes the sender holds until they are acknowledged (`tcp_wmem[2]`).

    Payload alone counts. An application that has more is woken when a third is free.

    Unless given: without limit.
    """
    window_scaling: bool | None = None
    """Whether windows are scaled."""
    restart: str | None = None
    """What happens to the window after an idle time."""
    grow_when_app_limited: bool | None = None
    """Let the window grow although the application limits the flight."""
    max_timeouts: int | None = None
    """Timeouts in a row after which a connection is given up; `0` for never."""
    interrupt_min: Time | None = None
    """Hosts see packets only at interrupts, at least so far apart.

    Unless given: 60us where `interrupt_max` is, else every packet is seen at once.
    """
    interrupt_max: Time | None = None
    """And at most so far.

    Unless given: 100us where `interrupt_min` is, else every packet is seen at once.
    """
    sack_cost: Time | None = None
    """What it takes a host to read one SACK block."""
    rate_codes: str | None = None
    """How Quick-Start's rates are coded: `powers` (RFC 4782) or `linear` (ns-2's function 1)."""
    sharing: str | None = None
    """What connections between the same hosts leave behind for each other (RFC 9040)."""
    sharing_lifetime: Time | None = None
    """How long a memory stays good."""
    sharing_cap: int | None = None
    """The largest window that a memory opens, in segments.

    Unless given: no limit.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Flow:
    """A connection, or `count` of them one `stagger` after the other."""

    startup: StartupLike | None = None
    """The startup, with parameters: `limited-slow-start:max_ssthresh=50`.

    Under comparison it is left out where it is what is compared.

    Unless given: slow-start.
    """
    cc: str | None = None
    """The congestion avoidance.

    Unless given: the stack's.
    """
    stack: Endpoint | Mapping[str, Any] | None = None
    """Fields of the stack that are these flows' own, in place of the scenario's.

    With a `preset` among them it is a stack by itself. What stands around the endpoints, such as
    `interrupt_min`, is the scenario's alone.

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
    """When the first opens.

    Unless given: 0s.
    """
    start_after: AfterFlow | Mapping[str, Any] | None = None
    """The flow whose startup it waits for, instead of `start`: it opens `pause` after that has
    ended.

    It never opens where the startup does not end before the run.
    """
    count: int | None = None
    """How many flows of this kind.

    Unless given: 1.
    """
    stagger: Time | None = None
    """Time from one opening to the next.

    Unless given: 0s.
    """
    jitter: Time | None = None
    """Each opening is moved by a uniform draw from zero to this.

    Unless given: 0s.
    """
    direction: str | None = None
    """Which way the data goes: `forward`, `reverse` or `alternate`.

    Unless given: forward.
    """
    rtt: Time | None = None
    """This flow's own two-way propagation; what exceeds the path's lies on its access.

    Unless given: the path's.
    """
    handshake: bool | None = None
    """Whether a handshake opens the connection.

    `false` starts with data on a connection whose round trip is known.

    Unless given: true.
    """
    opener: str | None = None
    """Which end opens the connection: `sender` or `receiver` of the data.

    A server's data goes to a client that has opened: the client's window is known whole when data
    leaves, and the handshake takes half a round trip more.

    Unless given: sender.
    """
    cached_cwnd: str | None = None
    """The window that an earlier connection left behind, such as `1bdp` or `40pkt`.

    For startups that use a memory.
    """
    interface_rate: Rate | None = None
    """The rate at which a startup takes its host's interface to send, such as `1Gbps`.

    It is told, where `path.nic_rate` is a link.

    Unless given: that of the first link on the way.
    """
    available_rate: Rate | None = None
    """The rate that is there for these flows, such as `10Mbps`.

    It changes nothing in the run. With it the table `startups` tells how soon they reached it, and
    what that took.
    """
    writes: Sequence[Write] | None = None
    """What the application writes on one connection, instead of `size`."""
    from_hop: int | None = None
    """Enter the chain at this hop, counted from 0.

    Unless given: 0.
    """
    to_hop: int | None = None
    """Leave the chain after this hop.

    Unless given: the last.
    """
    tick_phase: float | None = None
    """Where in a tick the clocks of these flows' hosts start, as a share of a tick.

    Only ns-2's hosts count in ticks.

    Unless given: the stack's.
    """
    forced_drops: Sequence[int] | None = None
    """Lose these packets at the bottleneck, the SYN being number 0."""
    delays: Mapping[int, Time] | None = None
    """Delay these packets behind the bottleneck, such as `{ 50 = "4ms" }`.

    By their positions, as for `forced_drops`, and on top of what the path takes: others overtake
    them.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class Write:
    """Bytes that the application hands to its connection, at a time of its own or once it has what
    it waits for.
    """

    size: Size
    """How much."""
    at: Time | None = None
    """When, counted from the flow's start."""
    after: After | Mapping[str, Any] | None = None
    """The write of another flow whose delivery it waits for, instead of `at`.

    That flow's data goes the other way, to the end that sends this. Where the first write of a flow
    waits, the flow opens then; behind a write that waits all others do.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class After:
    """What a write waits for: data that its end receives on another flow, all of it."""

    flow: int
    """The place of that flow among `flows`, from 0."""
    write: int | None = None
    """Which of its `writes`, from 0.

    Unless given: 0.
    """
    pause: Time | None = None
    """How long the application takes to answer.

    Unless given: 0s.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class AfterFlow:
    """A moment after something of another flow."""

    flow: int
    """The place of that flow among `flows`, from 0."""
    pause: Time | None = None
    """How long after.

    Unless given: 0s.
    """
    def __post_init__(self) -> None: ...

@dataclass(frozen=True, kw_only=True)
class WebTraffic:
    """Web sessions as ns-2 generates them.

    A session reads page after page, a page is a number of objects that are asked for one after the
    other without waiting, and an object is a request that a response answers. Variables are
    distributions, such as `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or plain values.
    """

    startup: StartupLike | None = None
    """The responses' startup, with parameters; requests always use slow start.

    Under comparison it is left out where it is what is compared.

    Unless given: slow-start.
    """
    cc: str | None = None
    """The responses' congestion avoidance.

    Unless given: the stack's.
    """
    stack: Endpoint | Mapping[str, Any] | None = None
    """Fields of the stack that are the responses' own, in place of the scenario's.

    As for `flows.stack`.

    Unless given: the scenario's.
    """
    interface_rate: Rate | None = None
    """The rate at which the responses' startup takes its host's interface to send: `1Gbps`.

    It is told, where `path.nic_rate` is a link.

    Unless given: that of the first link on the way.
    """
    sessions: int | None = None
    """How many sessions.

    Unless given: 1.
    """
    start: Time | None = None
    """When the first begins.

    Unless given: 0s.
    """
    interval: str | float | None = None
    """Time from one session's beginning to the next one's; a distribution.

    Unless given: 0s.
    """
    pages: str | float | None = None
    """Pages of a session; a distribution.

    Unless given: 1.
    """
    page_pause: str | float | None = None
    """Time between pages; a distribution.

    Unless given: 0s.
    """
    page_pause_from: str | None = None
    """Whether that is counted from the `end` of a page, or from its `start`.

    A page ends when its last object is done.

    Unless given: end.
    """
    objects: str | float | None = None
    """Objects of a page; a distribution.

    Unless given: 1.
    """
    object_pause: str | float | None = None
    """Time from one request of a page to the next; a distribution.

    Unless given: 0s.
    """
    size: str | float | None = None
    """Packets of an object; a distribution."""
    max_size: int | None = None
    """Packets that no object exceeds; larger ones are cut, and marked so.

    Unless given: no limit.
    """
    request: str | None = None
    """What a request takes, such as `1pkt` or `300B`.

    Unless given: 1pkt.
    """
    single_connection: bool | None = None
    """Whether the response comes on the request's connection, as soon as the server has the
    request.

    Otherwise, as in ns-2, the server opens a connection of its own when the request has been
    acknowledged.

    Unless given: false.
    """
    direction: str | None = None
    """Which way responses go: `forward` has the servers on the left.

    Sessions of an entry take turns under `alternate`.

    Unless given: forward.
    """
    clients: int | None = None
    """Hosts that read; each session is at one of them.

    With `path.hosts` they are the first of those, otherwise hosts of their own.

    Unless given: 1.
    """
    servers: int | None = None
    """Hosts that answer; each page comes from one of them.

    Unless given: 1.
    """
    from_hop: int | None = None
    """Responses enter the chain at this hop, counted from 0.

    Unless given: 0.
    """
    to_hop: int | None = None
    """And leave it after this one.

    Unless given: the last.
    """
    def __post_init__(self) -> None: ...
