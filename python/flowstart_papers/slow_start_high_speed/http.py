"""CAV-HTTP: the objects as httperf asks for them, one after another and at the same time."""

from typing import TypedDict

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Cell, Experiment, Findings, Table
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


class Transactions(TypedDict):
    """A client's transactions."""

    seconds: list[float]
    """Of each, from the request's SYN to the last byte."""
    all_s: float
    """Until the last one is done."""
    again: int


def run(lab: Lab) -> Findings:
    """Transaction times of three objects, in turn and together."""
    cases = [(path, way, scheme) for path in PATHS for way in WAYS for scheme in SCHEMES]
    documents = [browse(scheme, path, *WAYS[way]) for path, way, scheme in cases]
    found = dict(zip(cases, lab.runs(documents, transactions), strict=True))
    rows: list[dict[str, Cell]] = [
        {
            "interface - path": path.name,
            "objects": way,
            "scheme": scheme,
            "mean transaction, s": round(_mean(found[path, way, scheme]), 2),
            "longest, s": round(max(found[path, way, scheme]["seconds"]), 2),
            "all done, s": round(found[path, way, scheme]["all_s"], 2),
            "sent again, packets": found[path, way, scheme]["again"],
        }
        for path, way, scheme in cases
    ]
    caption = f"{OBJECTS} objects of 1 GB, each on a separate connection."
    return Findings(
        answers=[
            _says(path, {k[1:]: v for k, v in found.items() if k[0] == path}) for path in PATHS
        ],
        tables=[Table("http", caption, rows)],
    )


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


def transactions(run: Run) -> Transactions:
    """What the clients saw."""
    objects = run.objects
    done = objects["requested_s"] + objects["response_s"]
    return {
        "seconds": objects["response_s"].to_list(),
        "all_s": float(done.to_numpy().max()),
        "again": int(run.frame["packets_retransmitted"].sum()),
    }


def _mean(found: Transactions) -> float:
    return sum(found["seconds"]) / len(found["seconds"])


def _says(path: Path, found: dict[tuple[str, str], Transactions]) -> str:
    ways = (
        f"{way} " + ", ".join(f"{scheme} {_mean(found[way, scheme]):.0f} s" for scheme in SCHEMES)
        for way in WAYS
    )
    return f"{path.name}, mean transaction of {OBJECTS} objects: {'; '.join(ways)}."


EXPERIMENTS = (
    Experiment(
        id="CAV-HTTP",
        figure="httperf runs",
        question="How long do objects take that are requested in turn and at the same time?",
        run=run,
    ),
)
