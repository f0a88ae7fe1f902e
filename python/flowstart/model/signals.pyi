"""What a startup is told: the signals of `crates/control/src/signals.rs`.

Written by `make docs`. Frozen classes: sizes are bytes, sequence positions too, windows
segments, times whole nanoseconds, rates bits per second.
"""

from typing import final

from flowstart._native import Window
from flowstart.model.startup import Reason

class Events:
    """The hooks that are told of one event and may edit the window.

    They do nothing unless they are written.
    """

    def on_established(self, w: Window, e: Established) -> None:
        """The handshake is complete. Slow start has opened `w`; a startup that begins otherwise
        changes it.
        """
    def on_sent(self, w: Window, s: Sent) -> Reason | None:
        """A data segment has left, `w` already obeyed."""
    def on_recovery_ack(self, w: Window, a: Ack) -> None:
        """An ACK during recovery."""
    def on_recovered(self, w: Window, r: Recovered) -> Reason | float | None:
        """The recovery that a loss began has ended: a startup that has survived the loss may end
        here, and one that has set the window itself may report that of the loss.
        """
    def on_peer_gap(self, w: Window, g: PeerGap) -> Reason | None:
        """The peer has measured a pair; the ACK that reports it follows."""
    def on_feedback(self, w: Window, f: Feedback) -> None:
        """The congestion headers of data that the peer has received have come back; the ACK that
        brings them follows. Data carries them where `w.congestion_header` is set.
        """

@final
class Syn:
    """A SYN is about to leave: a startup may request a rate of the routers (RFC 4782)."""

    queued: int
    """Bytes the application has queued."""
    mss: int
    """Maximum segment size, bytes of payload."""
    header: int
    """Bytes that a full-size segment has on the wire beyond its payload."""
    codes: str
    """How rates are coded on this network."""

@final
class PathInfo:
    """Knowledge of the path from other sources than the handshake. Reported before `Established`,
    by a transport that has any.
    """

    approved: int | None
    """Rate that the routers approved, headers included; `None` where the request was refused, not
    answered, or found not valid.
    """
    exact_rtt: int | None
    """The round-trip time of the handshake as it was, where `Established` has it rounded."""
    interface_rate: int | None
    """The rate of the sender's own interface."""
    memory: PathMemory | None
    """Cached state of an earlier connection."""

@final
class PathMemory:
    """What a connection knew of its path when it was last used (RFC 9040)."""

    cwnd: float
    """Its congestion window."""
    ssthresh: float
    """Its threshold."""
    srtt: int
    """Its smoothed round-trip time."""
    rttvar: int
    """The variation of that."""
    min_rtt: int
    """Its minimum RTT."""
    delivered: int
    """Bytes of payload that a round trip delivered, the last in which it had enough to send."""
    rate: int
    """How fast these arrived, payload only; zero where no round was measured."""
    in_use: bool
    """Another connection that is still open uses the same cached state."""

@final
class PeerGap:
    """The peer has measured the spacing at which the two segments of a pair arrived. Reported
    before the `Ack` that carried it.
    """

    now: int
    """Time now."""
    gap: int
    """From the arrival of the first segment of the pair to that of the second."""
    rtt: int | None
    """The round-trip time of the newest segment that the ACK covers, from when it was first sent.
    """
    nxt: int
    """Position of the next new byte (SND.NXT), before anything is sent in answer."""
    peer_window: int
    """The peer's advertised window in bytes."""

@final
class Feedback:
    """The congestion headers of data that the peer has received have come back (XCP). Reported
    before the `Ack` that brought them.
    """

    now: int
    """Time now."""
    change: float | None
    """The change of throughput that the routers request, bytes per second on the wire; `None` where
    no router has written into them.
    """
    rtt: int | None
    """The round-trip time of the newest segment that the ACK covers, by Karn's rule."""
    wire: int
    """Bytes that a full-size segment has on the wire, its congestion header included."""
    cwnd_limited: bool
    """As the `Ack` that follows has it."""

@final
class Established:
    """The handshake is complete; data may be sent."""

    now: int
    """Time now."""
    initial_window: float
    """What the initial-window rule of the stack allows, after any lost SYN."""
    rtt: int | None
    """Round-trip time of the handshake; `None` if a SYN was sent more than once."""
    queued: int
    """Bytes the application has queued."""
    peer_window: int
    """The peer's advertised window in bytes; `u64::MAX` where nothing limits."""
    header: int
    """Bytes that a full-size segment has on the wire beyond its payload."""
    clock: int | None
    """The resolution at which the transport measures and paces, if it is coarse (ns-2's clock
    ticks). The RTT above has been rounded to it.
    """
    counts_marks: bool
    """The peer counts marks (RFC 9768), and each `Ack` has the number of new ones."""

@final
class Sent:
    """A data segment has left."""

    now: int
    """Time now."""
    bytes: int
    """Payload bytes of this segment."""
    seq: int
    """Position of its first byte."""
    retransmission: bool
    """Whether it has been sent before."""
    flight: int
    """Bytes sent and not yet cumulatively acknowledged, this segment included."""

@final
class Ack:
    """An acknowledgement with news has arrived."""

    now: int
    """Time now."""
    acked: int
    """Bytes it acknowledges cumulatively for the first time: by which `una` moved."""
    delivered: int
    """Bytes it reports as received for the first time, cumulatively or selectively."""
    credit: int
    """Bytes by which the stack lets the window grow: those acknowledged (RFC 5681 §3.1), those
    delivered (Linux), or those delivered of packets that left since the last reduction (RFC 9002
    §7.3.2).
    """
    delivered_total: int
    """All bytes reported as received so far."""
    rtt: int | None
    """The round-trip time it gives, by Karn's rule, if it gives one."""
    srtt: int
    """The transport's smoothed round-trip time (RFC 6298 §2), this ACK included; zero before there
    is any sample.
    """
    una: int
    """Position of the first byte not yet acknowledged (SND.UNA), this ACK included."""
    nxt: int
    """Position of the next new byte (SND.NXT), before anything is sent in answer."""
    flight: int
    """Bytes in flight as the transport estimates them, this ACK included."""
    cwnd_limited: bool
    """Whether the congestion window, not the application, the peer or the pacer, was what held the
    acknowledged data's flight back. Growth is for those only.
    """
    queued: int
    """Bytes the application has queued and not yet sent."""
    peer_window: int
    """The peer's advertised window in bytes."""
    marked: int
    """Data packets that it reports as marked for the first time; zero where the peer does not count
    marks (`Established::counts_marks`).
    """
    delivery: Delivery | None
    """What it reports of delivery, where the controller needs that."""
    sent: int | None
    """Departure of the segment whose round-trip time it gives."""

@final
class Delivery:
    """What an acknowledgement reports of delivery (draft-cheng-iccrg-delivery-rate-estimation)."""

    total: int
    """Bytes delivered so far (`C.delivered`)."""
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
    """A sample of the delivery rate: what was delivered between the sending of a packet and its
    acknowledgement. The packet is the one that left last of those newly acknowledged.
    """

    prior_delivered: int
    """Bytes that had been delivered when the packet left (`P.delivered`)."""
    sent: int
    """When the packet left."""
    delivered: int
    """Bytes delivered since."""
    interval: int
    """Duration of that: the longer of the next two."""
    send_interval: int
    """Duration of the sending of what was delivered."""
    ack_interval: int
    """Duration of its acknowledging."""
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
    """Time now."""
    flight: int
    """FlightSize: bytes outstanding, less what limited transmit added (RFC 5681 §3.2), and at most
    the window.
    """
    usable: float
    """The usable window, `min(cwnd, peer's)`: what ns-2 halves."""

@final
class Marked:
    """The peer echoes that a queue has marked data (RFC 3168 §6.1): congestion, but nothing is
    missing. At most once per window, and not after a loss in it. `Recovered` follows, as it does
    after a loss: at once, or when the window has come down.
    """

    now: int
    """Time now."""
    flight: int
    """FlightSize, at most the window."""
    usable: float
    """The usable window, `min(cwnd, peer's)`."""

@final
class Recovered:
    """Recovery has ended: everything outstanding when it began is acknowledged."""

    now: int
    """Time now."""
    retransmitted: int
    """Distinct bytes that were retransmitted during this recovery."""
    flight: int
    """Bytes in flight."""

@final
class Timeout:
    """The retransmission timer has expired with data outstanding."""

    now: int
    """Time now."""
    flight: int
    """Bytes in flight as the transport estimates them; at most what is outstanding."""
    usable: float
    """The usable window, `min(cwnd, peer's)`."""
    repeated: bool
    """Whether the timer had already retransmitted the oldest segment before: then the threshold is
    not lowered again (RFC 5681 §3.1).
    """

@final
class Idle:
    """Data is about to be sent after an idle time longer than the retransmission timeout."""

    now: int
    """Time now."""
    idle: int
    """How long nothing was sent."""
    restart_window: float
    """The window that the stack's restart rule allows."""
