"""A path through the network, written down or known by name."""

import dataclasses
import importlib.resources
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest


@dataclass(frozen=True, kw_only=True)
class Hop:
    """One link of a chain of routers."""

    rate: str
    delay: str
    buffer: str | None = None
    queue: str | None = None
    """The discipline of its queues; the path's unless given."""
    loss: str | None = None
    quick_start: bool | None = None
    """Whether the routers at its ends know Quick-Start's option."""


@dataclass(frozen=True, kw_only=True)
class RateStep:
    """A rate that holds for some time; `0bps` is an outage."""

    rate: str
    lasts: str


@dataclass(frozen=True, kw_only=True)
class Path:
    """A path through the network; what is left out takes the simulator's default."""

    rate: str | None = None
    """The bottleneck's rate."""
    rtt: str | None = None
    """Two-way propagation without serialisation."""
    buffer: str | None = None
    """How much may wait at the bottleneck; 1 BDP, but at least 40 packets, by default."""
    queue: str | None = None
    """The queue discipline at the bottleneck, with parameters: `codel:target=5ms`."""
    loss: str | None = None
    """The share of packets lost at random on the way forward: `1%` or `0.01`."""
    reverse_rate: str | None = None
    reverse_buffer: str | None = None
    reverse_queue: str | None = None
    """The discipline of the way back; the same as `queue` unless given."""
    reverse_loss: str | None = None
    access_rate: str | None = None
    """The rate of each host's own line."""
    access_delay: str | None = None
    access_at: str | None = None
    """Which hosts have access lines: `both` sides, `left` or `right`."""
    nic_rate: str | None = None
    """The rate at which a host hands packets to its line."""
    router_pps: int | None = None
    """Packets per second that each router forwards, both directions together."""
    ack_batch: str | None = None
    """Acknowledgements reach the data's sender in batches, at multiples of this time."""
    ack_thinning: bool | None = None
    """Of a flow's plain acknowledgements in one batch only the newest goes on."""
    buffer_reading: str | None = None
    """Whether a buffer of N holds the packet in service (`ns2`) or not (`linux`)."""
    hosts: int | None = None
    """Pairs of hosts; one per flow by default."""
    quick_start: Mapping[str, str] | None = None
    """How routers decide on rate requests: `admission`, `threshold`, `allocation`, ..."""
    rate_trace: str | None = None
    """A file of delivery opportunities instead of `rate`, as Mahimahi has them."""
    reverse_rate_trace: str | None = None
    """The same for the reverse direction."""
    rate_steps: Sequence[RateStep] | None = None
    """Rates one after the other, over and over, instead of `rate`."""
    rate_variation: str | None = None
    """How the rate varies about `rate`: `steps:every=15s,spread=0.5`, `wander:sigma=0.4`."""
    policer_rate: str | None = None
    """What a policer before the bottleneck lets pass in the long run."""
    policer_burst: str | None = None
    """What it lets pass at once."""
    loss_burst: str | float | None = None
    """Packets that `loss` strikes in a row, on average."""
    reverse_loss_burst: str | float | None = None
    aggregation: str | None = None
    """The time from one access to a shared medium to the next: `4ms`, `exponential:mean=4ms`."""
    jitter: str | None = None
    """Delay on top of the path's, forward: `uniform:most=5ms`."""
    reverse_jitter: str | None = None
    jitter_every: str | None = None
    """For how long a draw of jitter holds; each packet has its own by default."""
    reordering: bool | None = None
    """Whether jitter lets packets overtake others."""
    ripple: str | None = None
    """How far the round trip swings, on top of `rtt`."""
    ripple_period: str | None = None
    """How long a swing takes, there and back."""
    hops: Sequence[Hop] | None = None
    """A chain of routers instead of `rate` and `rtt`."""

    @classmethod
    def named(cls, name: str) -> Self:
        """A path known by name, from the list in `paths.toml`."""
        known = named_paths()
        if name not in known:
            raise RequestError(f"no path is called `{name}`{suggest(name, list(known))}")
        fields: dict[str, Any] = {k: v for k, v in known[name].items() if k != "about"}
        return cls(**fields)

    def but(self, **fields: Any) -> Self:
        """The path with other fields; one way to give the rate takes the place of another."""
        ways = dict.fromkeys(("rate", "rate_trace", "rate_steps"))
        if ways.keys() & fields.keys():
            fields = ways | fields
            if fields["rate"] is None:
                fields = {"rate_variation": None} | fields
        if "reverse_rate_trace" in fields:
            fields = {"reverse_rate": None} | fields
        return dataclasses.replace(self, **fields)


def named_paths() -> dict[str, dict[str, Any]]:
    """The paths known by name: their fields, and `about`."""
    text = importlib.resources.files("flowstart.model").joinpath("paths.toml").read_text("utf-8")
    return tomllib.loads(text)


INTERFACE = "1Gbps"
"""The rate of a host's interface in comparisons, where the path gives none."""


def told_interface(path: Mapping[str, Any]) -> dict[str, str]:
    """What flows under comparison are told of their interface.

    A path without lines before the bottleneck would tell them the bottleneck's rate, which no
    sender knows.
    """
    own = ("nic_rate", "access_rate")
    return {} if any(name in path for name in own) else {"interface_rate": INTERFACE}
