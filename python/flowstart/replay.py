"""A user's own transfers, replayed under one start-up after another.

Every transfer of the capture becomes a flow of its size and round trip on a connection
that is open already, alone on its path and again together with all others of its path at
the times of the capture. A path is the bottleneck to one remote network, or one for all.
"""

import dataclasses
import functools
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from flowstart import (
    _native,
    buffers,
    footnotes,
    frames,
    guests,
    randomness,
    scenario,
    specs,
)
from flowstart.capture import Capture
from flowstart.comparison import queues
from flowstart.errors import RequestError
from flowstart.guests import Guests
from flowstart.scenario import Document, told_interface

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from flowstart.replay_summary import ClassSummary

WITHOUT_RTT = "round trip not known"
"""Why a transfer is left out that `rtt` would let in."""
BUFFERS = ("buffer", "reverse_buffer")
ASSUMED = "assumed 1 BDP, at least 40 packets"
MORE_LOST = (2, 0.01)
"""It is said where a replay loses so many times the capture's share, and so much more."""
AFTERWARDS_S = 3600
"""How long a replay may go on after the last transfer has begun."""


@dataclass(frozen=True)
class Settings:
    """What the user decides; None follows the capture."""

    startups: tuple[str, ...]
    rate: str | None = None
    reverse_rate: str | None = None
    buffer: str | None = None
    reverse_buffer: str | None = None
    rtt: str | None = None
    """One round trip for all, needed for logs that tell none."""
    loss: str | None = None
    stack: dict[str, Any] | None = None
    avoidance: str | None = None
    remembered: str | None = None
    """The window that an earlier connection left behind, for start-ups that use a memory."""
    without: tuple[str, ...] = ()
    """Start-ups that `all` left out, since they have nothing to remember."""
    seed: int = 1
    guests: Guests = field(default_factory=Guests)
    """The start-ups that are not in the catalog."""


@dataclass(frozen=True)
class Transfer:
    """One transfer of the capture, as it is replayed."""

    number: int
    """Its place among the capture's transfers."""
    connection: int
    direction: str
    """`c2s` or `s2c`."""
    to_remote: bool
    start_s: float
    """Since the capture's first transfer."""
    size_bytes: int
    rtt: str


@dataclass(frozen=True)
class Road:
    """A bottleneck in both directions, and what crosses it."""

    name: str
    path: Document
    """The scenario's path; forward is towards the remote network."""
    rate_method: str
    buffer_method: str
    transfers: tuple[Transfer, ...]
    assumed: tuple[str, ...] = ()
    """Which of the path's fields are neither given nor estimated from its own packets."""


@dataclass(frozen=True, repr=False)
class Replay:
    """What the replay of a capture came to."""

    capture: Capture
    settings: Settings
    roads: list[Road]
    left_out: dict[str, int]
    """Transfers that cannot be replayed, by reason."""
    rows: list[dict[str, Any]]
    """One dictionary per transfer, start-up and mode."""
    interrupted: bool = False
    failures: list[str] = field(default_factory=list)

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per transfer, start-up and mode."""
        columns = {name: [row[name] for row in self.rows] for row in self.rows[:1] for name in row}
        return frames.frame(columns)

    @functools.cached_property
    def summaries(self) -> "list[ClassSummary]":
        """One summary per size class and start-up, all sizes last."""
        from flowstart.replay_summary import summarise

        return summarise(self)

    @property
    def command(self) -> str:
        """The command that gives the same result."""
        s = self.settings
        options = {
            name: getattr(s, name)
            for name in ("rate", "reverse_rate", "buffer", "reverse_buffer", "rtt", "loss")
        }
        options |= {"stack": specs.stack_text(s.stack), "avoidance": s.avoidance}
        options |= {"remembered": s.remembered}
        options |= {"startup": ",".join(s.startups), "seed": str(s.seed)}
        words = ["flowstart", "compare", "--capture", self.capture.file]
        for name, value in options.items():
            if value:
                words += [f"--{name.replace('_', '-')}", value]
        return shlex.join(words)

    @functools.cached_property
    def resolved(self) -> dict[str, Document]:
        """The whole configuration of one transfer under each start-up, on the first path."""
        road, s = self.roads[0], self.settings
        jobs = [_job(road, name, "alone", road.transfers[:1], s) for name in s.startups]
        return {job.startup: scenario.resolve(job.scenario, s.guests) for job in jobs}

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return randomness.drawn(self.resolved[self.settings.startups[0]])

    @functools.cached_property
    def notes(self) -> list[str]:
        """What a reader of the table has to know of its start-ups, queues and seed."""
        s = self.settings
        notes = footnotes.footnotes(
            footnotes.Setting(
                startups=s.startups,
                remembered=[s.remembered],
                memory_option="--remembered 1bdp gives each path its own",
                interfaces=[told_interface(road.path).get("interface_rate") for road in self.roads],
                queues={name: queues(document) for name, document in self.resolved.items()},
                drawn=self.drawn,
                seeds=1,
                seed_option=f"--seed {s.seed + 1}",
            )
        )
        if s.without:
            who = ", ".join(s.without)
            notes.append(f"left out of all, as nothing is remembered (--remembered 1bdp): {who}.")
        return notes + self._beyond_the_capture()

    def _beyond_the_capture(self) -> list[str]:
        """Says where the replay loses far more than the capture: a buffer may be too small."""
        from flowstart.replay_summary import EVERYTHING, baseline

        startup, before = baseline(self.settings.startups), self.capture.retransmitted_share
        rows = [s for s in self.summaries if (s.size_class, s.startup) == (EVERYTHING, startup)]
        lost = rows[0].loss if rows else None
        if lost is None or before is None or self.settings.loss:
            return []
        times, more = MORE_LOST
        if lost <= times * before + more:
            return []
        under = f"{lost:.2%} of the packets under {guests.short(startup)}"
        was = f"{before:.2%} were retransmitted in the capture"
        said = f"the replay loses more than the capture did: {under}; {was}."
        return [f"{said} --buffer sets another buffer."]

    @functools.cached_property
    def warnings(self) -> list[str]:
        """What was asked for and was perhaps not meant."""
        s = self.settings
        asked = {"buffer": s.buffer, "reverse_buffer": s.reverse_buffer}
        given = {name: said for name, said in asked.items() if said}
        found = []
        for road in self.roads:
            resolved = _resolved(road.path, s)
            window = buffers.initial_window(resolved["stack"])
            few = buffers.handfuls(given, resolved["path"], window)
            found += [(n, field, said, window, road.name) for field, (said, n) in few.items()]
        if not found:
            return []
        packets, field, said, window, name = min(found)
        paths = len({name for *_, name in found})
        more = f" and a handful on {paths - 1} more" if paths > 1 else ""
        return [buffers.warning(field, said, packets, f" on {name}{more}", window=window)]

    @property
    def all_failed(self) -> bool:
        """Whether no transfer was completed."""
        return bool(self.rows) and not any(row["complete"] for row in self.rows)

    def result(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "capture": {
                "file": self.capture.file,
                "summary": self.capture.summary,
                "warnings": self.capture.warnings,
                "notes": self.capture.notes,
            },
            "paths": [
                {
                    "name": road.name,
                    **road.path,
                    "rate_method": road.rate_method,
                    "buffer_method": road.buffer_method,
                    "assumed": list(road.assumed),
                    "transfers": len(road.transfers),
                }
                for road in self.roads
            ],
            "left_out": self.left_out,
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": self.warnings,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "classes": [dataclasses.asdict(s) for s in self.summaries],
            "rows": self.rows,
        }

    def plot(self) -> "Figure":
        """Completion times by size class, and how many transfers are hurt."""
        from flowstart.replay_plots import by_class

        return by_class(self.summaries)

    def _repr_html_(self) -> str:
        from flowstart import plots, replay_grids, report

        figure = report.picture(plots.svg(self.plot()), "Completion by size class")
        return report.table(replay_grids.classes(self)) + figure


def replay(
    capture: Capture,
    settings: Settings,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Replay:
    """Replays the transfers of a capture. Raises RequestError where that cannot be done."""
    left_out: dict[str, int] = {}
    roads = lay(capture, settings, left_out)
    jobs = list(_jobs(roads, settings))
    scenarios = [scenario.encode(job.scenario) for job in jobs]
    batch = _native.run_many(scenarios, workers, progress, settings.guests.natives())
    runs = frames.rows(batch["runs"])
    return Replay(
        capture=capture,
        settings=settings,
        roads=roads,
        left_out=left_out,
        rows=[_row(row, jobs[row["run"]]) for row in frames.rows(batch["flows"])],
        interrupted=batch["interrupted"],
        failures=[f"{jobs[r['run']].label}: {r['error']}" for r in runs if r["error"]],
    )


def lay(capture: Capture, settings: Settings, left_out: dict[str, int]) -> list[Road]:
    """The roads of a capture with their transfers; counts what is left out, by reason."""
    transfers = _transfers(capture, settings, left_out)
    if not transfers:
        raise RequestError(f"{capture.file}: {_nothing_to_replay(settings, left_out)}")
    if settings.rate is not None:
        return [_given(settings, transfers)]
    place = {c: g for g in capture.document["groups"] for c in g["connections"]}
    by_network: dict[str, list[Transfer]] = {}
    for transfer in transfers:
        by_network.setdefault(place[transfer.connection]["network"], []).append(transfer)
    groups = {group["network"]: group for group in capture.document["groups"]}
    return [
        _estimated(groups[network], settings, mine, capture) for network, mine in by_network.items()
    ]


def _nothing_to_replay(settings: Settings, left_out: dict[str, int]) -> str:
    if WITHOUT_RTT in left_out:
        missing = "--rtt" if settings.rate else "--rtt and --rate"
        return f"it tells no round trips, and a replay needs them; give {missing}"
    return "there is no transfer to replay"


def _transfers(capture: Capture, settings: Settings, left_out: dict[str, int]) -> list[Transfer]:
    connections = capture.document["connections"]
    from_client = capture.remote_is_client()
    least = {
        number: group["min_rtt_s"]
        for group in capture.document["groups"]
        for number in group["connections"]
    }
    found = []
    rows = capture.document["transfers"]
    begin = min((row["start"] for row in rows), default=0.0)
    for number, row in enumerate(rows):
        connection = row["connection"]
        rtt = settings.rtt or _round_trip(connections[connection], least.get(connection))
        if connection not in from_client:
            why = "far side not known"
        elif rtt is None:
            why = WITHOUT_RTT
        else:
            towards_client = row["direction"] == "s2c"
            found.append(
                Transfer(
                    number=number,
                    connection=connection,
                    direction=row["direction"],
                    to_remote=towards_client == from_client[connection],
                    start_s=row["start"] - begin,
                    size_bytes=row["bytes"],
                    rtt=rtt,
                )
            )
            continue
        left_out[why] = left_out.get(why, 0) + 1
    return found


def _round_trip(connection: dict[str, Any], least: float | None) -> str | None:
    """The handshake's, unless it is not known which of several SYN-ACKs was answered."""
    rtt_s: float | None = connection["rtt_s"]
    if least is not None and "syn-ack-retransmitted" in connection["flags"]:
        rtt_s = least
    return f"{max(round(rtt_s * 1e6), 1)}us" if rtt_s else None


def _given(settings: Settings, transfers: list[Transfer]) -> Road:
    """One road for all, as the options say."""
    path = {
        "rate": settings.rate,
        "reverse_rate": settings.reverse_rate,
        "buffer": settings.buffer,
        "reverse_buffer": settings.reverse_buffer,
    }
    path = {name: value for name, value in path.items() if value is not None}
    path = _with_rtt(path, settings, transfers)
    assumed = _assumed_buffers(path, settings)
    methods = ["by --buffer" if path.get("buffer") else ASSUMED] * 2
    methods[1] = "by --reverse-buffer" if settings.reverse_buffer else methods[0]
    return Road(
        "all",
        path | assumed,
        "by --rate",
        joined(methods),
        tuple(transfers),
        tuple(assumed),
    )


def _estimated(
    group: dict[str, Any], settings: Settings, transfers: list[Transfer], capture: Capture
) -> Road:
    """A network's own road, as far as the capture tells it."""
    ways = (group["to_remote"], group["from_remote"])
    rates = [way["rate_bps"] for way in ways]
    assumed = [name for name, rate in zip(("rate", "reverse_rate"), rates, strict=True) if not rate]
    methods = [way["rate_method"] for way in ways]
    if None in rates:
        other = next((rate for rate in rates if rate), None) or _typical_rate(capture)
        if other is None:
            raise RequestError(
                f"{capture.file}: no bottleneck rate can be estimated ({methods[0]}); give --rate"
            )
        source = "the other direction's" if any(rates) else "the median of the other networks'"
        methods = [m if r else f"{source}, since: {m}" for m, r in zip(methods, rates, strict=True)]
        rates = [rate or other for rate in rates]
    path: Document = {"rate": f"{rates[0]:.0f}bps", "reverse_rate": f"{rates[1]:.0f}bps"}
    path = _with_rtt(path, settings, transfers)
    known, buffer_methods = _known_buffers(ways, settings)
    guessed = _assumed_buffers(path | known, settings)
    assumed += guessed
    for name, way in zip(BUFFERS, ways, strict=True):
        if name in guessed:
            guessed[name], buffer_methods[name] = _at_least(guessed[name], way)
    return Road(
        group["network"],
        path | known | guessed,
        joined(methods),
        joined([buffer_methods[name] for name in BUFFERS]),
        tuple(transfers),
        tuple(assumed),
    )


def _known_buffers(
    ways: Sequence[dict[str, Any]], settings: Settings
) -> tuple[Document, dict[str, str]]:
    """The buffers that are given or measured, and where they come from.

    One that is only known from below is not taken for its size.
    """
    known: Document = {}
    methods = {}
    given = (settings.buffer, settings.reverse_buffer or settings.buffer)
    for name, way, option in zip(BUFFERS, ways, given, strict=True):
        if option:
            known[name], methods[name] = option, "by --buffer"
        elif way["buffer_packets"] is not None and not way["buffer_at_least"]:
            known[name], methods[name] = f"{way['buffer_packets']}pkt", way["buffer_method"]
    return known, methods


def _assumed_buffers(path: Document, settings: Settings) -> Document:
    """What the simulator takes for the buffers that a path does not name."""
    unsized = {name: value for name, value in path.items() if name not in BUFFERS}
    usual = _resolved(unsized, settings)["path"]
    # Without a reverse one, the forward one holds in both directions.
    named = {*path, *(("reverse_buffer",) if settings.buffer else ())}
    return {name: usual[name] for name in BUFFERS if name not in named}


def _resolved(path: Document, settings: Settings) -> Document:
    """A scenario on a path, with every default filled in."""
    document: Document = {"path": path, "flows": [{"size": "1pkt"}]}
    if settings.stack:
        document["stack"] = settings.stack
    return scenario.resolve(document)


def _at_least(usual: str, way: dict[str, Any]) -> tuple[str, str]:
    """The buffer that is usual or the least that is known, whichever is larger, and why."""
    least = way["buffer_packets"] or 0
    if least > int(usual.removesuffix("pkt")):
        return f"{least}pkt", f"assumed no larger than is known: {way['buffer_method']}"
    return usual, f"{ASSUMED}, since: {way['buffer_method']}"


def _typical_rate(capture: Capture) -> float | None:
    rates = [
        way["rate_bps"]
        for group in capture.document["groups"]
        for way in (group["to_remote"], group["from_remote"])
        if way["rate_bps"]
    ]
    return median(rates) if rates else None


def joined(methods: Sequence[str]) -> str:
    """How two things come about, there and back; once where it is the same."""
    return methods[0] if len(set(methods)) == 1 else f"there: {methods[0]}; back: {methods[1]}"


def _with_rtt(path: Document, settings: Settings, transfers: list[Transfer]) -> Document:
    """The road's own round trip is the least of its transfers'; the rest is the flows'."""
    if settings.loss:
        path |= {"loss": settings.loss, "reverse_loss": settings.loss}
    return path | {"rtt": settings.rtt or min((t.rtt for t in transfers), key=_microseconds)}


def _microseconds(rtt: str) -> int:
    return int(rtt.removesuffix("us"))


@dataclass(frozen=True)
class _Job:
    """One simulation: a road under one start-up, with some or all of its transfers."""

    road: Road
    startup: str
    mode: str
    transfers: tuple[Transfer, ...]
    scenario: Document

    @property
    def label(self) -> str:
        return f"{self.startup}, {self.mode}, {self.road.name}"


def _jobs(roads: Sequence[Road], settings: Settings) -> Iterator[_Job]:
    for road in roads:
        for startup in settings.startups:
            yield _job(road, startup, "together", road.transfers, settings)
            for transfer in road.transfers:
                yield _job(road, startup, "alone", (transfer,), settings)


def _job(
    road: Road, startup: str, mode: str, transfers: tuple[Transfer, ...], settings: Settings
) -> _Job:
    starts = _without_long_gaps([t.start_s for t in transfers])
    told = told_interface(road.path)
    flows = [
        told | _flow(t, startup, settings, at) for t, at in zip(transfers, starts, strict=True)
    ]
    document: Document = {
        "seed": settings.seed,
        "duration": f"{max(starts) + AFTERWARDS_S:.6f}s",
        "path": road.path,
        "flows": flows,
    }
    if settings.stack:
        document["stack"] = settings.stack
    return _Job(road, startup, mode, transfers, document)


def _without_long_gaps(starts: Sequence[float]) -> list[float]:
    """Times from zero on; where nothing begins for long, that long is enough.

    By then what began before is over, and captures may be put together over years.
    """
    at: dict[float, float] = {}
    before, now = min(starts), 0.0
    for start in sorted(starts):
        now += min(start - before, AFTERWARDS_S)
        before = start
        at[start] = now
    return [at[start] for start in starts]


def _flow(transfer: Transfer, startup: str, settings: Settings, start_s: float) -> Document:
    flow: Document = {
        "startup": startup,
        "size": f"{transfer.size_bytes}B",
        "start": f"{round(start_s * 1e6)}us",
        "direction": "forward" if transfer.to_remote else "reverse",
        "rtt": transfer.rtt,
        "handshake": False,
    }
    if settings.avoidance:
        flow["avoidance"] = settings.avoidance
    if settings.remembered:
        flow["remembered"] = settings.remembered
    return flow


def _row(row: dict[str, Any], job: _Job) -> dict[str, Any]:
    """A flow's row with the transfer it stands for."""
    transfer = job.transfers[row["flow"]]
    return row | {
        "mode": job.mode,
        "network": job.road.name,
        "transfer": transfer.number,
        "connection": transfer.connection,
        "capture_direction": transfer.direction,
        "rtt": transfer.rtt,
        "startup": job.startup,
    }
