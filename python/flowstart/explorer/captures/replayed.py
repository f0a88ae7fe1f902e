"""A capture in the explorer: what is in it, what its replay came to, and single transfers.

All numbers and sentences are those of `flowstart capture` and `flowstart replay`.
"""

import dataclasses
import math
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowstart.captures import contents as contents
from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture as read
from flowstart.errors import RequestError
from flowstart.explorer.jobs import BackgroundJob
from flowstart.model import stack
from flowstart.model.document import Document
from flowstart.questions.replay import ReplayQuestion
from flowstart.render.columns import CLASSES
from flowstart.replays import overview, result, tables
from flowstart.replays.answer import EVERYTHING, buffers
from flowstart.replays.paths import ReplayPath
from flowstart.replays.report import further
from flowstart.replays.request import check, question_of, replay
from flowstart.replays.result import Replay
from flowstart.replays.scenario import usual_stack

__all__ = ["EVERYTHING", "opened", "replayed", "transfer", "transfers", "work"]

if TYPE_CHECKING:
    import polars as pl

MOST_TRANSFERS = 100
"""So many of a list are answered at once."""
MOST_NETWORKS = 200
OPPOSITE = {"rate": "reverse_rate", "buffer": "reverse_buffer", "queue": "reverse_queue"}
"""Fields of a path by their counterparts in the other direction."""


def work(
    job: BackgroundJob,
    file: pathlib.Path,
    name: str,
    options: Mapping[str, Any],
    *,
    startups: Sequence[str] | None,
    workers: int | None = None,
) -> None:
    """Reads a capture and replays it, as a job.

    `name` is what the file is called before people; `options` are of `flowstart replay`.
    Raises RequestError where the file is no capture or an option is wrong.
    """
    keywords = question_of({**options, "startups": startups})
    check(ReplayQuestion(file, **keywords))
    job.begin("reading")
    capture = named(file, name, job)
    job.add("contents", opened(capture))
    job.begin("replaying")
    answer = replay(capture, **keywords, workers=workers, progress=job.report)
    job.kept = answer
    job.add("replay", replayed(answer))


def named(file: pathlib.Path, name: str, job: BackgroundJob) -> Capture:
    """The capture in a file that people know by another name."""
    try:
        capture = read(file, progress=job.report)
    except RequestError as error:
        raise RequestError(str(error).replace(str(file), name)) from None
    warnings = [warning.replace(str(file), name) for warning in capture.warnings]
    return dataclasses.replace(capture, files=(name,), warnings=warnings)


def opened(capture: Capture) -> dict[str, Any]:
    """What is in a capture, as JSON: the tables of `flowstart capture`."""
    return {
        "headline": contents.headline(capture),
        "tables": [
            contents.summary_table(capture.summary).document(),
            *([contents.networks(capture).document()] if capture.groups else []),
        ],
        "warnings": capture.warnings,
        "notes": capture.notes,
    }


def replayed(replay: Replay) -> dict[str, Any]:
    """What a replay came to, as JSON: tables, recommendations and the networks' paths."""
    several = len(replay.settings.names) > 1
    return {
        "headline": " ".join([overview.headline(replay), *overview.sample(replay)]),
        "variants": list(replay.answer.variants),
        "baseline": replay.answer.baseline,
        "changes": tables.changes(replay.summaries).document() if several else None,
        "times": tables.times(replay.summaries).document(),
        "legend": overview.table_legend(replay),
        "verdict": [
            *overview.verdict(replay),
            *overview.validity(replay),
            *overview.remedy(replay),
        ],
        "decision": result.verdict_document(replay.verdict, replay.settings),
        "intervals": replay.answer.records,
        "classes": [
            {"size_class": summary.size_class, "transfers": summary.transfers}
            for summary in replay.summaries
            if summary.variant == replay.answer.baseline
        ],
        "networks": _networks(replay),
        "sources": overview.sources(replay),
        "further": [grid.document() for grid in further(replay)],
        "deployment": [notes.lines for notes in replay.notes_to_deploy],
        "limits": list(overview.LIMITS),
        "warnings": replay.warnings,
        "failures": replay.failures[:3],
        "command": replay.command,
    }


def _networks(replay: Replay) -> list[dict[str, Any]]:
    """The paths with the most transfers, with the alternatives to buffers that are assumed."""
    varied = buffers(replay.paths)
    others = {(name, network.name): network.path for name, paths in varied for network in paths}
    names = list(dict.fromkeys(band for band, _ in others))
    largest = sorted(replay.paths, key=lambda network: -network.transfers)
    return [
        {
            "name": network.name,
            "path": {field: str(value) for field, value in network.path.items()},
            "rates_bps": list(network.rates_bps),
            "assumed": list(network.assumed),
            "least": dict(network.least),
            "rate_method": network.rate_method,
            "buffer_method": network.buffer_method,
            "transfers": network.transfers,
            "bands": [_band(name, others[name, network.name]) for name in names],
        }
        for network in largest[:MOST_NETWORKS]
    ]


def _band(name: str, path: Document) -> dict[str, str]:
    forward = str(path["buffer"])
    return {
        "name": name,
        "buffer": forward,
        "reverse_buffer": str(path.get("reverse_buffer", forward)),
    }


def transfers(
    replay: Replay, size_class: str = EVERYTHING, network: str | None = None, first: int = 0
) -> dict[str, Any]:
    """The transfers under test of a class and a network, in the order of the capture.

    Each has its completion time in seconds under every variant, all running together; null where
    it was not completed. At most `MOST_TRANSFERS` from `first` on. Raises RequestError where there
    is no such class or network.
    """
    chosen = _chosen(replay, size_class, network)
    if first < 0:
        raise RequestError(f"first: `{first}`: 0 or more is needed")
    part = chosen.slice(first, MOST_TRANSFERS)
    numbers = part["transfer"].to_numpy()
    times = [replay.together.of(name, numbers).tolist() for name in replay.answer.variants]
    rows = zip(part.iter_rows(named=True), zip(*times, strict=True), strict=True)
    return {
        "total": chosen.height,
        "first": first,
        "variants": list(replay.answer.variants),
        "transfers": [row | {"fct_s": [_finite(time) for time in own]} for row, own in rows],
    }


def _chosen(replay: Replay, size_class: str, network: str | None) -> "pl.DataFrame":
    import polars as pl

    facts = replay.facts
    bounds = {name: (least, below) for name, least, below in (*CLASSES, (EVERYTHING, 0, None))}
    if size_class not in bounds:
        raise RequestError(f"class: `{size_class}` is none; one of {', '.join(bounds)} is needed")
    least, below = bounds[size_class]
    facts = facts.filter(pl.col("size_bytes") >= least)
    if below is not None:
        facts = facts.filter(pl.col("size_bytes") < below)
    if network is None:
        return facts
    if network not in (path.name for path in replay.paths):
        raise RequestError(f"network: `{network}` is not in this capture")
    return facts.filter(pl.col("network") == network)


def _finite(time: float) -> float | None:
    return time if math.isfinite(time) else None


def transfer(replay: Replay, number: int) -> dict[str, Any]:
    """One transfer: its times in the replay, and the options that send its size over its path.

    The path is that of its network as the replay has it, in the direction of its data, with the
    round trip of its connection. Raises RequestError where no such transfer is under test.
    """
    import polars as pl

    facts = replay.facts.filter(pl.col("transfer") == number)
    if facts.is_empty():
        raise RequestError(f"transfer: `{number}` is not under test in this replay")
    row = facts.row(0, named=True)
    network = next(network for network in replay.paths if network.name == row["network"])
    traffic = network.traffic
    own = traffic.transfers.filter(pl.col("transfer") == number).row(0, named=True)
    connection = traffic.connections.filter(pl.col("connection") == row["connection"])
    talk = connection.row(0, named=True)
    towards = own["from_client"] != talk["client_is_remote"]
    path = _as_sent(network, towards=towards) | {"rtt": talk["rtt"]}
    numbers = facts["transfer"].to_numpy()
    names = replay.answer.variants
    ends = stack.written(usual_stack(replay.settings))
    options: dict[str, Any] = {name.replace("_", "-"): str(v) for name, v in path.items()}
    options |= {"size": f"{row['size_bytes']}B", "startup": list(replay.settings.startups)}
    options |= {"stack": ends} if ends else {}
    options |= {"cc": replay.settings.cc} if replay.settings.cc else {}
    return {
        **row,
        "start_s": own["start_s"],
        "variants": list(names),
        "together_s": [_finite(float(replay.together.of(name, numbers)[0])) for name in names],
        "alone_s": [_finite(float(replay.alone.of(name, numbers)[0])) for name in names],
        "given": options,
        "words": (
            "Opens the path of its network, in the direction of its data, with the round trip of "
            "its connection: this size alone on a new connection. In the replay it follows earlier "
            "turns of its connection, with the window that they left, next to the other "
            "connections."
        ),
    }


def _as_sent(network: ReplayPath, *, towards: bool) -> dict[str, Any]:
    """The path as the sender of data sees it: what comes from the remote side goes backwards."""
    path = network.path
    path = {"reverse_rate": path["rate"], "reverse_buffer": path["buffer"]} | path
    if towards:
        return path
    swapped = OPPOSITE | {there: here for here, there in OPPOSITE.items()}
    return {swapped.get(name, name): value for name, value in path.items()}
