"""The paths that transfers of a capture are replayed on, as given or as the capture tells them."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from flowstart import _native
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.next_command import (
    QUIC_ONLY,
    RATE,
    is_one_direction,
    is_quic_only,
    missing_options,
    recording,
)
from flowstart.captures.sampling import Sampled
from flowstart.errors import RequestError
from flowstart.model.document import Document, resolve
from flowstart.replays.scenario import usual_stack
from flowstart.replays.settings import Settings, given_of, refuse_one_rate, refuse_useless
from flowstart.replays.traffic import WITHOUT_RTT, Section, Traffic

if TYPE_CHECKING:
    import polars as pl


BUFFERS = ("buffer", "reverse_buffer")
ASSUMED = "assumed 1 BDP, at least 40 packets"
RTTS_MS, SLOW_BPS = (30, 80), 10e6
"""Edges between types of access: near, on the continent, far or by satellite; DSL and slow cells
against cable and fibre."""


@dataclass(frozen=True)
class ReplayPath:
    """A bottleneck in both directions, and what crosses it."""

    name: str
    path: Document
    """The scenario's path; forward is towards the remote network."""
    rate_method: str
    buffer_method: str
    section: Section
    """Its part of the traffic of all paths."""
    assumed: tuple[str, ...] = ()
    """Which of the path's fields are neither given nor estimated from its own packets."""
    least: Mapping[str, int] = field(default_factory=dict)
    """Packets that assumed buffers are known to hold at least."""
    rate_range: tuple[float, float | None] | None = None
    """The interval of a rate that was fitted to durations; None as its end: no rate is too high."""
    given: bool = False
    """Whether the rate is an option's."""

    def knows(self, rate: str, factor: float) -> bool:
        """Whether a rate is given or measured: within this factor, if it has an interval."""
        if rate in self.assumed:
            return False
        low, high = self.rate_range or (1.0, 1.0)
        return high is not None and high <= factor * low

    def method(self, rate: str) -> str:
        """How a direction's rate was come by."""
        there, _, back = self.rate_method.removeprefix("there: ").partition("; back: ")
        return back if back and rate == "reverse_rate" else there

    @property
    def rates_bps(self) -> tuple[float, float]:
        """The bottleneck's rates there and back."""
        whole = resolve({"path": self.path, "flows": [{"size": "1pkt"}]})["path"]
        there, back = (_native.rate_bps(whole[name]) for name in ("rate", "reverse_rate"))
        return there, back

    @property
    def access(self) -> str:
        """The type of access, by round trip and rate."""
        rtt_ms = _microseconds(self.path["rtt"]) / 1000
        rate = "below 10 Mbit/s" if self.rates_bps[0] < SLOW_BPS else "10 Mbit/s or more"
        low = max((edge for edge in RTTS_MS if edge <= rtt_ms), default=None)
        high = min((edge for edge in RTTS_MS if edge > rtt_ms), default=None)
        if low is None:
            return f"RTT below {high} ms, {rate}"
        return (
            f"RTT {low} ms or more, {rate}" if high is None else f"RTT {low} to {high} ms, {rate}"
        )

    @property
    def traffic(self) -> Traffic:
        """What crosses it."""
        return self.section.traffic

    @property
    def transfers(self) -> int:
        """How many transfers cross it."""
        return self.section.height


def build(capture: Capture, settings: Settings, left_out: dict[str, int]) -> list[ReplayPath]:
    """The paths of a capture with their traffic; counts what is left out, by reason."""
    if is_one_direction(capture):
        raise RequestError(
            f"{capture.file}: it has the packets of one side only, and a replay needs both; record "
            f"them: {recording(capture)}"
        )
    traffic = Traffic.of(capture, settings, left_out)
    if traffic.transfers.is_empty():
        raise RequestError(f"{capture.file}: {_nothing_to_replay(capture, settings, left_out)}")
    _refuse_untested(capture.file, settings, traffic)
    names = [str(name) for name in traffic.connections["network"].unique(maintain_order=True)]
    known = [group.network for group in capture.groups] if capture.drawn else names
    refuse_useless(settings.networks, known)
    if settings.rate is not None:
        if not settings.one_link:
            refuse_one_rate(settings.rate, names)
        return [_given(settings, traffic)]
    groups = {group.network: group for group in capture.groups}
    passed = passed_rates(capture)
    return [
        _estimated(groups[network], settings, section, capture, passed)
        for network, section in traffic.by_network().items()
    ]


def _nothing_to_replay(capture: Capture, settings: Settings, left_out: dict[str, int]) -> str:
    if is_quic_only(capture):
        return f"there is no transfer to replay: {QUIC_ONLY}"
    if WITHOUT_RTT not in left_out:
        return "there is no transfer to replay"
    options = missing_options(capture)
    needed = options[:2] if settings.rate or settings.networks else options
    example = shlex.join(needed)
    return f"it has no round-trip times, and a replay needs them; give them, such as {example}"


def _refuse_untested(file: str, settings: Settings, traffic: Traffic) -> None:
    """Raises RequestError where all data are from the side that is not under test."""
    from_client = traffic.transfers["from_client"]
    without = {"server": from_client.all(), "client": not from_client.any()}
    if without.get(settings.direction):
        other = {"server": "client", "client": "server"}[settings.direction]
        raise RequestError(
            f"{file}: all data are from {other}s; test these with --direction {other}"
        )


def _given(settings: Settings, traffic: Traffic) -> ReplayPath:
    """One path for all, as the options say."""
    path = {
        "rate": settings.rate,
        "reverse_rate": settings.reverse_rate,
        "buffer": settings.buffer,
        "reverse_buffer": settings.reverse_buffer,
    }
    path = {name: value for name, value in path.items() if value is not None}
    path = path_of(path, settings, traffic)
    assumed = _assumed_buffers(path, settings)
    methods = ["by --buffer" if path.get("buffer") else ASSUMED] * 2
    methods[1] = "by --reverse-buffer" if settings.reverse_buffer else methods[0]
    return ReplayPath(
        "all",
        path | assumed,
        "by --rate",
        joined(methods),
        Section(traffic, slice(None), slice(None)),
        tuple(assumed),
        given=True,
    )


BATCH_S = 0.004
"""How long a link or a host may hold packets back and then pass them at once: the longest TXOP of
best effort (IEEE 802.11-2020, Table 9-155)."""
FLIGHT_BYTES = 14_480
"""Ten segments: fewer are served while the first of them is on its way."""


def passed_rates(capture: Capture) -> dict[tuple[str, bool], float]:
    """The rate in bit/s that each network's path has at least, by network and whether towards it.

    A transfer's bytes have passed between its first data and its last acknowledgement. That holds
    wherever the monitor is, and includes a round trip at the sender's.
    """
    import polars as pl

    towards = (pl.col("direction") == "s2c") == (pl.col("opener") == "remote")
    rate = 8 * pl.col("bytes") / (pl.col("acked_s") + BATCH_S)
    rates = (
        capture.transfers.lazy()
        .filter(pl.col("acked_s").is_not_null() & (pl.col("bytes") >= FLIGHT_BYTES))
        .join(capture.connections.lazy(), left_on="connection", right_on="stream")
        .group_by("network", towards.alias("towards"))
        .agg(rate.max())
    )
    return {(network, way): bps for network, way, bps in rates.collect().iter_rows()}


def _estimated(
    group: RemoteNetwork,
    settings: Settings,
    section: Section,
    capture: Capture,
    passed: Mapping[tuple[str, bool], float],
) -> ReplayPath:
    """A network's own path, as far as it is given or the capture tells it.

    A rate that is borrowed from others is no lower than what has passed.
    """
    own = given_of(group.network, settings.networks)
    if own:
        group, settings = _with_given(group, own), _with_buffers(settings, own)
    ways = group.ways
    rates = [way.rate_bps for way in ways]
    assumed = [
        name
        for name, way in zip(("rate", "reverse_rate"), ways, strict=True)
        if not way.rate_bps or way.rate_assumed
    ]
    methods = [way.rate_method for way in ways]
    if None in rates:
        bounds = [way.rate_low_bps or 0.0 for way in ways]
        least = [
            max(bound, passed.get((group.network, towards), 0.0))
            for bound, towards in zip(bounds, (True, False), strict=True)
        ]
        other = next((rate for rate in rates if rate), None) or _typical_rate(capture)
        source = "the other direction's" if any(rates) else "the median of the other networks'"
        if other is None and any(bounds):
            other, source = max(bounds), "a lower bound"
        if other is None:
            to, back = (method.removeprefix("not estimated: ") for method in methods)
            example = shlex.quote(f"{group.network}:rate={RATE}")
            raise RequestError(
                f"{capture.file}: no bottleneck rate can be estimated to {group.network} ({to}) or "
                f"from it ({back}); give one, such as --network {example}"
            )
        sources = [source if other >= bps else "what has passed" for bps in least]
        methods = [
            method if rate else f"{source}, since: {method}"
            for method, rate, source in zip(methods, rates, sources, strict=True)
        ]
        rates = [rate or max(other, bps) for rate, bps in zip(rates, least, strict=True)]
    path: Document = {"rate": f"{rates[0]:.0f}bps", "reverse_rate": f"{rates[1]:.0f}bps"}
    path = path_of(path, settings, section.traffic)
    if capture.drawn and not settings.rtt:
        path["rtt"] = f"{round(1e6 * capture.drawn.rtts_s[group.network])}us"
    known, buffer_methods = _known_buffers(ways, settings)
    guessed = _assumed_buffers(path | known, settings)
    assumed += guessed
    for name, way in zip(BUFFERS, ways, strict=True):
        if name in guessed:
            guessed[name], buffer_methods[name] = _at_least(guessed[name], way)
    return ReplayPath(
        group.network,
        path | known | guessed,
        joined(methods),
        joined([buffer_methods[name] for name in BUFFERS]),
        section,
        tuple(assumed),
        {name: way.buffer_packets or 0 for name, way in zip(BUFFERS, ways, strict=True)},
        (ways[0].rate_low_bps, ways[0].rate_high_bps) if ways[0].rate_low_bps else None,
        "rate" in own,
    )


def _with_given(group: RemoteNetwork, own: Mapping[str, str]) -> RemoteNetwork:
    """A group with the rates that are given in the place of those estimated."""
    forward = own.get("rate")
    estimates = []
    for way, rate in zip(group.ways, (forward, own.get("reverse_rate", forward)), strict=True):
        bps = None if rate is None else _native.rate_bps(rate)
        estimate = dataclasses.replace(
            way,
            rate_bps=bps,
            rate_method="by --network",
            rate_low_bps=None,
            rate_high_bps=None,
            rate_assumed=False,
        )
        estimates.append(way if bps is None else estimate)
    return dataclasses.replace(group, to_remote=estimates[0], from_remote=estimates[1])


def _with_buffers(settings: Settings, own: Mapping[str, str]) -> Settings:
    """The settings of a network whose buffers are given."""
    buffer = own.get("buffer", settings.buffer)
    reverse = own.get("reverse_buffer", settings.reverse_buffer)
    return dataclasses.replace(settings, buffer=buffer, reverse_buffer=reverse)


def _known_buffers(
    ways: Sequence[PathEstimate], settings: Settings
) -> tuple[Document, dict[str, str]]:
    """The buffers that are given or measured, and where they come from.

    One that is only known from below is not taken for its size.
    """
    known: Document = {}
    methods = {}
    options = (settings.buffer, settings.reverse_buffer or settings.buffer)
    for name, way, option in zip(BUFFERS, ways, options, strict=True):
        if option:
            known[name], methods[name] = option, "by --buffer"
        elif way.buffer_packets is not None and not way.buffer_at_least:
            known[name], methods[name] = f"{way.buffer_packets}pkt", way.buffer_method
    return known, methods


def _assumed_buffers(path: Document, settings: Settings) -> Document:
    """What the simulator takes for the buffers that a path does not name."""
    unsized = {name: value for name, value in path.items() if name not in BUFFERS}
    usual = resolved(unsized, settings)["path"]
    # Without a reverse one, the forward one holds in both directions.
    named = {*path, *(("reverse_buffer",) if settings.buffer else ())}
    return {name: usual[name] for name in BUFFERS if name not in named}


def resolved(path: Document, settings: Settings) -> Document:
    """A scenario on a path, with every default filled in."""
    document: Document = {"path": path, "flows": [{"size": "1pkt"}]}
    document["stack"] = usual_stack(settings)
    return resolve(document)


def _at_least(usual: str, way: PathEstimate) -> tuple[str, str]:
    """The buffer that is usual or the least that is known, whichever is larger, and why."""
    least = way.buffer_packets or 0
    if least > int(usual.removesuffix("pkt")):
        return f"{least}pkt", f"assumed no larger than is known: {way.buffer_method}"
    return usual, f"{ASSUMED}, since: {way.buffer_method}"


def _typical_rate(capture: Capture) -> float | None:
    rates = [way.rate_bps for group in capture.groups for way in group.ways if way.rate_bps]
    return median(rates) if rates else None


def joined(methods: Sequence[str]) -> str:
    """How two things come about, there and back; once where it is the same."""
    return methods[0] if len(set(methods)) == 1 else f"there: {methods[0]}; back: {methods[1]}"


def path_of(path: Document, settings: Settings, traffic: Traffic) -> Document:
    """The path's own round trip is the least of its connections'; the rest is the flows'."""
    if settings.loss:
        path |= {"loss": settings.loss, "reverse_loss": settings.loss}
    least = min(traffic.connections["rtt"].unique().to_list(), key=_microseconds)
    path |= settings.impairments
    return path | {"rtt": settings.rtt or least}


def _microseconds(rtt: str) -> int:
    return int(rtt.removesuffix("us")) if rtt.endswith("us") else 0


ENDS = ("connection", "client_ip", "client_is_remote")


def facts(
    paths: Sequence[ReplayPath], settings: Settings, drawn: Sampled | None = None
) -> "pl.DataFrame":
    """A row per transfer under test: numbers, network, access type, client, start, size, way.

    `request_s` is what its client waits besides: see `requested`. Of a sample only what was drawn,
    with its `cluster`.
    """
    import polars as pl

    tested = {"both": pl.lit(True), "client": pl.col("from_client")}
    wanted = tested.get(settings.direction, ~pl.col("from_client"))
    parts = [
        path.traffic.transfers.filter(wanted)
        .join(path.traffic.connections.select(*ENDS), on="connection")
        .join(path.traffic.requested(), on="transfer")
        .select(
            *("transfer", "connection", "start_s"),
            client="client_ip",
            network=pl.lit(path.name),
            access=pl.lit(path.access),
            size_bytes="bytes",
            towards_remote=pl.col("from_client") != pl.col("client_is_remote"),
            request_s="request_s",
        )
        for path in paths
    ]
    facts = pl.concat(parts).sort("transfer")
    if drawn is None:
        return facts
    return facts.join(drawn.clusters, on="connection", maintain_order="left")
