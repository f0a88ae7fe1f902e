"""The description of a run: a path, an endpoint stack, flows, and web sessions.

These classes carry a description to the simulator and check nothing themselves: the
simulator alone knows which fields there are, what they default to and which values make
sense, and says so in a RequestError. A scenario written as a TOML file has the same fields.

Every quantity is text with its unit: `5Mbps`, `64ms`, `1.5MB`, `60pkt`, `1bdp`.
"""

import dataclasses
import importlib.resources
import json
import math
import os
import pathlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from flowstart import _native, guests, specs
from flowstart.catalog import suggest
from flowstart.errors import RequestError
from flowstart.guests import Guests, StartupLike
from flowstart.startup import Startup

Document: TypeAlias = dict[str, Any]
"""A scenario as JSON knows it."""


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


@dataclass(frozen=True, kw_only=True)
class Write:
    """Bytes that the application hands to its connection at a time of its own."""

    at: str
    size: str


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A connection, or `count` of them one `interval` after the other."""

    startup: StartupLike | None = None
    """The start-up; one that is left out is the one under comparison in `compare`."""
    avoidance: str | None = None
    size: str | None = None
    mss: str | None = None
    """Maximum segment size; the stack's unless given."""
    start: str | None = None
    count: int | None = None
    interval: str | None = None
    jitter: str | None = None
    """Each opening is moved by a uniform draw from zero to this."""
    direction: str | None = None
    """`forward`, `reverse` or `alternate`."""
    rtt: str | None = None
    """This flow's own two-way propagation, at least the path's."""
    handshake: bool | None = None
    remembered: str | None = None
    """The window that an earlier connection left behind, for start-ups that use a memory."""
    interface_rate: str | None = None
    """What a start-up takes for the rate of its host's interface; the first link's by default."""
    writes: Sequence[Write] | None = None
    """What the application writes, instead of `size`."""
    from_hop: int | None = None
    """Where in the chain it enters, counted from 0."""
    to_hop: int | None = None
    forced_drops: Sequence[int] | None = None
    """Packets to lose at the bottleneck, the SYN being number 0."""


Law: TypeAlias = str | float
"""A distribution, such as `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or a value.

There are `constant`, `uniform`, `exponential`, `pareto`, `pareto2`, `weibull` and `lognormal`.
"""


@dataclass(frozen=True, kw_only=True)
class Web:
    """Sessions of people who read page after page, each of several objects."""

    startup: StartupLike | None = None
    """The responses' start-up; one that is left out is the one under comparison in `compare`."""
    avoidance: str | None = None
    interface_rate: str | None = None
    """What the start-up takes for the rate of its host's interface."""
    sessions: int | None = None
    start: str | None = None
    interval: Law | None = None
    """From one session's beginning to the next one's."""
    pages: Law | None = None
    """Pages of a session."""
    page_pause: Law | None = None
    """From page to page."""
    page_pause_from: str | None = None
    """Whether that is counted from the `end` of a page or from its `start`."""
    objects: Law | None = None
    """Objects of a page."""
    object_pause: Law | None = None
    """From request to request within a page."""
    size: Law | None = None
    """Packets of an object."""
    max_size: int | None = None
    """Packets at which larger objects are cut."""
    request: str | None = None
    """What a request takes; a packet by default."""
    single_connection: bool | None = None
    """Whether a response comes on its request's connection; in ns-2 it opens another."""
    direction: str | None = None
    """`forward` with the servers on the left, `reverse`, or `alternate` by session."""
    clients: int | None = None
    """Hosts that read, each session at one of them."""
    servers: int | None = None
    """Hosts that answer, each page from one of them."""
    from_hop: int | None = None
    to_hop: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Everything a run depends on."""

    path: Path
    flows: Sequence[Flow] = ()
    web: Sequence[Web] | None = None
    """Web sessions, beside the flows or instead of them."""
    stack: str | Mapping[str, Any] | None = None
    """A preset such as `rfc`, `ns2:recovery=newreno`, or the fields as a mapping."""
    name: str | None = None
    seed: int | None = None
    duration: str | None = None
    """Where to stop; by default when every flow and every session is done."""
    trace: bool | None = None

    def document(self) -> Document:
        """The scenario as the simulator reads it."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        if isinstance(self.stack, str):
            fields["stack"] = specs.stack(self.stack)
        document: Document = plain(fields)
        return document


ScenarioLike: TypeAlias = Scenario | Mapping[str, Any] | str | os.PathLike[str]
"""A scenario, its document, or the name of the TOML (or JSON) file that holds it."""


INTERFACE = "1Gbps"
"""The rate of a host's interface in comparisons, where the path gives none."""


def told_interface(path: Mapping[str, Any]) -> dict[str, str]:
    """What flows under comparison are told of their interface.

    A path without lines before the bottleneck would tell them the bottleneck's rate, which no
    sender knows.
    """
    own = ("nic_rate", "access_rate")
    return {} if any(name in path for name in own) else {"interface_rate": INTERFACE}


def document(scenario: ScenarioLike) -> Document:
    """The document of whatever describes a scenario."""
    if isinstance(scenario, Scenario):
        return scenario.document()
    if isinstance(scenario, Mapping):
        copied: Document = plain(scenario)
        return copied
    return read(scenario)


def read(file: str | os.PathLike[str]) -> Document:
    """Reads a scenario file: TOML, or JSON where its name ends so."""
    path = pathlib.Path(file)
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise RequestError(f"{path}: there is no such file") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file; a scenario is TOML in UTF-8") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise RequestError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise RequestError(f"{path}: a scenario is an object with a `path`, not a list or a value")
    _find_traces(found.get("path"), path.parent)
    for kind in guests.BEGINNERS:
        entries = found.get(kind)
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and "startup" in entry:
                entry["startup"] = guests.beside(entry["startup"], path.parent)
    return found


def _find_traces(described: object, folder: pathlib.Path) -> None:
    """The traces that a scenario's file names are looked for beside it."""
    if not isinstance(described, dict):
        return
    for name in ("rate_trace", "reverse_rate_trace"):
        file = described.get(name)
        if isinstance(file, str) and not pathlib.Path(file).is_absolute():
            described[name] = os.path.relpath(folder / file)


def resolve(document: Document, known: Guests | None = None) -> Document:
    """The whole configuration that a document stands for, every default filled in."""
    native = known.natives() if known else None
    resolved: Document = json.loads(_native.resolve(encode(document), native))
    return resolved


def schema(kind: str = "scenario") -> Document:
    """The JSON Schema of a scenario file, for editors."""
    found: Document = json.loads(_native.schema(kind))
    return found


def named_paths() -> dict[str, dict[str, Any]]:
    """The paths known by name: their fields, and `about`."""
    text = importlib.resources.files("flowstart").joinpath("paths.toml").read_text("utf-8")
    return tomllib.loads(text)


def encode(document: Document) -> str:
    """A document as the simulator's JSON text."""
    try:
        return json.dumps(document, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        # TOML knows dates and infinities, which no field of a scenario takes.
        field, value = next(_not_json(document), ("the scenario", error))
        raise RequestError(f"{field}: `{value}` is a value that no field takes") from None


def _not_json(value: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    """The values within a document that JSON cannot hold, with their fields."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_json(part, f"{field}.{name}" if field else str(name))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _not_json(part, f"{field}[{index}]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield field, value
    elif not isinstance(value, str | int | None):
        yield field, value


def plain(value: Any) -> Any:
    """`value` as JSON types, without the fields that were left out."""
    if isinstance(value, Startup):
        return value  # which may well be a dataclass
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items() if v is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    return value
