"""What is read from the runs of this paper, and how the two startups are set side by side."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.jump_start.setups import JUMP_START, SLOW_START
from flowstart_papers.lab import Lab
from flowstart_papers.measures import CONFIDENCE, RESAMPLES

Case = TypeVar("Case")
Read = TypeVar("Read")

INITIAL_WINDOW = 4380
"""The bytes that fit RFC 3390's initial window; the paper counts connections above."""


def both(
    lab: Lab,
    make: Callable[[str, Case], Document],
    cases: Sequence[Case],
    read: Callable[[Run], Read],
) -> list[tuple[Read, Read]]:
    """Slow start and Jump Start in each case, in the order of `cases`."""
    documents = [make(startup, case) for case in cases for startup in (SLOW_START, JUMP_START)]
    found = lab.runs(documents, read)
    return list(zip(found[::2], found[1::2], strict=True))


def transfer(run: Run) -> dict[str, float]:
    """A single transfer."""
    row = run.records[0]
    names = ("duration_s", "packets_dropped", "packets_sent", "timeouts", "min_rtt_s")
    return {name: row[name] for name in names}


def crowd(run: Run) -> dict[str, float]:
    """Many connections: their median duration, and their losses."""
    rows = run.records
    sent, dropped = (sum(row[f"packets_{what}"] for row in rows) for what in ("sent", "dropped"))
    return {
        "median_s": statistics.median(row["duration_s"] for row in rows),
        "loss": dropped / sent,
        "dropped": dropped / len(rows),
        "timeouts": sum(row["timeouts"] for row in rows) / len(rows),
    }


def responses(run: Run) -> dict[str, list[float]]:
    """The web's responses of more than an initial window, and what the link had to do."""
    flows = run.outcome["flows"].lists()
    answers = run.outcome["objects"].lists()["flow"]
    mine = [i for i in answers if flows["size_bytes"][i] > INITIAL_WINDOW]
    return {
        "duration_s": [flows["duration_s"][i] for i in mine],
        "loss": [flows["packets_dropped"][i] / flows["packets_sent"][i] for i in mine],
        "packets": [flows["packets_arrived"][i] for i in mine],
        "utilisation": run.outcome["links"].lists()["utilisation"][:1],
        "min_rtt_s": [min(rtt for rtt in flows["min_rtt_s"] if rtt)],
    }


def responses_in_short(run: Run) -> dict[str, float]:
    """The same, summed up."""
    found = responses(run)
    loss = np.asarray(found["loss"])
    lossy = loss[loss > 0]
    return {
        "p25_s": float(np.percentile(found["duration_s"], 25)),
        "free": float(100 * np.mean(loss == 0)),
        "loss": float(lossy.mean()) if len(lossy) else 0.0,
    }


def column(found: Sequence[dict[str, Any]], name: str) -> NDArray[Any]:
    """One of the values that were read, over several runs."""
    return np.asarray([one[name] for one in found], dtype=float)


def sums_interval(
    rows: Sequence[Sequence[float]], of: Callable[[NDArray[Any]], Any]
) -> tuple[float, float]:
    """Where `of` of the columns' sums lies with 95 % confidence; a row is a draw of the load."""
    values = np.asarray(rows, dtype=float)
    drawn = np.random.default_rng(1).integers(len(values), size=(RESAMPLES, len(values)))
    spare = (100 - CONFIDENCE) / 2
    low, high = np.percentile(of(values[drawn].sum(axis=1).T), [spare, 100 - spare])
    return float(low), float(high)
