"""The simulator, compiled: scenarios are JSON text, results are columns."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypedDict, final

Columns: TypeAlias = dict[str, list[Any]]
Guests: TypeAlias = dict[str, tuple[Callable[[], Any], list[str]]]

class Outcomes(TypedDict):
    runs: Columns
    flows: Columns
    transfers: Columns
    objects: Columns
    links: Columns

class Outcome(Outcomes):
    trace: dict[str, dict[str, Any]] | None

class Batch(Outcomes):
    interrupted: bool

def run(scenario: str, guests: Guests | None = None) -> Outcome: ...
def run_many(
    scenarios: list[str],
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    guests: Guests | None = None,
) -> Batch: ...
def resolve(scenario: str, guests: Guests | None = None) -> str: ...
def read_capture(path: str, progress: Callable[[int, int | None], object] | None = None) -> str: ...
def catalog() -> str: ...
def schema(kind: str) -> str: ...
def size_bytes(size: str, mss: str) -> int | None: ...
def initial_window(rule: str, mss: str) -> float: ...
def version() -> str: ...

HOOKS: list[str]
"""The hooks of a start-up."""
STACKS: list[str]
"""The stacks by name."""
DISTRIBUTIONS: list[str]
"""The distributions by name."""

@final
class Window:
    """The state that a transport obeys and a start-up edits."""

    def __init__(self, mss: int) -> None: ...
    cwnd: float
    """Congestion window in segments."""
    ssthresh: float
    """Slow-start threshold in segments; infinite until something is known."""
    pacing: int | None
    """At most this rate in bits per second, headers included; None sends as the window allows."""
    pacing_from: int
    """With a pacing rate: nothing leaves before this time."""
    quantum: int
    """So many segments may leave together where they are paced."""
    timeout: int | None
    """A retransmission timeout that holds instead of the transport's, without back-off."""
    startup_excess: bool
    """Marks segments as part of an oversized start-up flight that a router may drop first."""
    pair: Literal["first", "second"] | None
    """Marks a segment as one of a pair whose spacing the peer is to measure."""
    congestion_header: int | None
    """Data carries a congestion header that says this round-trip time, 0 where none is known."""
    @property
    def mss(self) -> int:
        """Maximum segment size, bytes of payload."""
    @property
    def cwnd_bytes(self) -> int:
        """The window in bytes."""
    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold."""
    def segments(self, count: int) -> float:
        """So many bytes, in segments."""

@final
class Syn:
    """A SYN is about to leave."""

    queued: int
    """Bytes the application has queued."""
    mss: int
    """Maximum segment size, bytes of payload."""
    header: int
    """Bytes that a full-size segment has on the wire beyond its payload."""
    codes: str
    """How rates are coded: `powers` (RFC 4782) or `linear`."""

@final
class PathMemory:
    """What a connection knew of its path when it was last used."""

    cwnd: float
    ssthresh: float
    srtt: int
    rttvar: int
    min_rtt: int
    delivered: int
    """Bytes of payload that a round trip delivered."""
    rate: int
    """How fast these arrived."""
    in_use: bool
    """Another connection that is still open has been told of the same path."""

@final
class Known:
    """What is known of the path besides what the handshake shows."""

    approved: int | None
    """The rate that the routers approved."""
    exact_rtt: int | None
    """The round-trip time of the handshake as it was, where `Established` has it rounded."""
    interface_rate: int | None
    """The rate of the sender's own interface."""
    memory: PathMemory | None
    """What an earlier connection left behind."""

@final
class PeerGap:
    """The peer has measured how far apart the two segments of a pair arrived."""

    now: int
    gap: int
    """From the arrival of the first segment to that of the second."""
    rtt: int | None
    nxt: int
    """Position of the next new byte."""
    peer_window: int

@final
class Feedback:
    """The congestion headers of data that the peer has received have come back (XCP)."""

    now: int
    change: float | None
    """The wanted change of throughput, bytes per second; None where no router answered."""
    rtt: int | None
    """The round-trip time of the newest segment that the ACK covers, if it gives one."""
    wire: int
    """Bytes that a full-size segment has on the wire, its congestion header included."""
    cwnd_limited: bool
    """As the `Ack` that follows has it."""

@final
class Established:
    """The handshake is complete; data may be sent."""

    now: int
    initial_window: float
    """What the initial-window rule of the stack allows, in segments."""
    rtt: int | None
    """Round-trip time of the handshake; None if a SYN was sent more than once."""
    queued: int
    """Bytes the application has queued."""
    peer_window: int
    """The peer's advertised window in bytes; 2**64 - 1 where nothing limits."""
    header: int
    """Bytes that a full-size segment has on the wire beyond its payload."""
    clock: int | None
    """The resolution at which the transport measures and paces, if it is coarse."""

@final
class Sent:
    """A data segment has left."""

    now: int
    bytes: int
    """Its payload."""
    seq: int
    """Position of its first byte."""
    retransmission: bool
    flight: int
    """Bytes sent and not yet cumulatively acknowledged, this segment included."""

@final
class Ack:
    """An acknowledgement has arrived that says something new."""

    now: int
    acked: int
    """Bytes it acknowledges cumulatively for the first time."""
    delivered: int
    """Bytes it reports as received for the first time, cumulatively or selectively."""
    delivered_total: int
    """All bytes reported as received so far."""
    rtt: int | None
    """The round-trip time it gives, if it gives one."""
    una: int
    """Position of the first byte not yet acknowledged, this ACK included."""
    nxt: int
    """Position of the next new byte, before anything is sent in answer."""
    flight: int
    """Bytes in flight as the transport estimates them, this ACK included."""
    cwnd_limited: bool
    """Whether the window was what held the sender back. Growth is for those only."""
    queued: int
    """Bytes the application has queued and not yet sent."""
    peer_window: int
    """The peer's advertised window in bytes."""
    delivery: Delivery | None
    """What it says of delivery, where somebody wants to know."""

@final
class Delivery:
    """What an acknowledgement says of delivery."""

    total: int
    """Bytes delivered so far."""
    newly: int
    """Bytes delivered since the acknowledgement before."""
    lost: int
    """Bytes found lost since the acknowledgement before."""
    in_flight_before: int
    """Bytes in flight before it."""
    repairing: bool
    """What a timeout took for lost is not all repaired."""
    sample: RateSample | None
    """The sample of the delivery rate, if it gives a fair one."""

@final
class RateSample:
    """What was delivered between the sending of a packet and its acknowledgement."""

    prior_delivered: int
    """Bytes that had been delivered when the packet left."""
    delivered: int
    """Bytes delivered since."""
    interval: int
    """In so long: the longer of sending and acknowledging what was delivered."""
    app_limited: bool
    """The application, not the network, was the limit when the packet left."""
    tx_in_flight: int
    """Bytes in flight when the packet had left, itself included."""
    lost: int
    """Bytes found lost since the packet left."""

@final
class Loss:
    """Loss has been found and recovery begins; at most once per window."""

    now: int
    flight: int
    """Bytes outstanding, less what limited transmit added."""
    usable: float
    """The usable window in segments: the smaller of the window and the peer's."""

@final
class Marked:
    """The peer echoes a congestion mark; at most once per window."""

    now: int
    flight: int
    """Bytes outstanding, at most the window."""
    usable: float
    """The usable window in segments: the smaller of the window and the peer's."""

@final
class Recovered:
    """Recovery has ended: everything outstanding when it began is acknowledged."""

    now: int
    retransmitted: int
    """Distinct bytes that were retransmitted during this recovery."""
    flight: int

@final
class Timeout:
    """The retransmission timer has expired with data outstanding."""

    now: int
    flight: int
    usable: float
    repeated: bool
    """Whether the timer had already retransmitted the oldest segment before."""

@final
class Idle:
    """Data is about to be sent after an idle time longer than the retransmission timeout."""

    now: int
    idle: int
    """How long nothing was sent."""
    restart_window: float
    """The window that the stack's restart rule allows."""
