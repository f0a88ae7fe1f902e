"""The objects as httperf asks for them, one after another and at the same time."""

from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import grid
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed.setups import (
    OBJECT_PACKETS,
    SCHEMES,
    Path,
    network,
    stack,
    startup,
)

PATHS = (Path(1000, 1000), Path(10_000, 1000))
OBJECTS = 3
WAYS = {"one after another": (1, OBJECTS), "at the same time": (OBJECTS, 1)}
"""Sessions, and objects of each."""


def browse(scheme: str, path: Path, sessions: int, objects: int) -> Document:
    """Clients that ask for so many objects, each when the one before has come."""
    return {
        "path": network(path),
        "stack": stack(path),
        "web": [
            {
                "startup": startup(scheme, path),
                "sessions": sessions,
                "interval": "1s",
                "pages": objects,
                "page_pause": "0s",
                "objects": 1,
                "size": OBJECT_PACKETS,
                "request": "300B",
                "single_connection": True,
            }
        ],
    }


def transactions(run: Run) -> dict[str, Any]:
    """What the clients saw, from a request's SYN to the last byte."""
    objects = run.objects
    done = objects["requested_s"] + objects["response_s"]
    seconds = objects["response_s"].to_list()
    return {
        "mean_s": sum(seconds) / len(seconds),
        "longest_s": max(seconds),
        "all_s": float(done.to_numpy().max()),
        "again": int(run.frame["packets_retransmitted"].sum()),
    }


@experiment("CAV-HTTP", "httperf runs")
def cav_http(lab: Lab) -> Findings:
    """How long do objects take that are requested in turn and at the same time?"""
    paths = {path.name: path for path in PATHS}
    found = lab.frame(
        lambda path, way, scheme: browse(scheme, paths[path], *WAYS[way]),
        grid(path=paths, way=WAYS, scheme=SCHEMES),
        transactions,
    )
    said = found.group_by("path", "way", maintain_order=True).agg(
        pl.format("{} {} s", "scheme", pl.col("mean_s").round().cast(int)).str.join(", ")
    )
    return Findings(
        answers=[f"{path}, mean transaction of {OBJECTS} objects {way}: {of}."
                 for path, way, of in said.rows()],
        tables=[table("http", f"{OBJECTS} objects of 1 GB, each on a separate connection", found)],
    )  # fmt: skip
