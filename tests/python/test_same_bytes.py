"""Runs come to the recorded bytes in Python too, whatever the number of workers.

The hashes of rows are those that `benches/src/same_bytes.rs` computes of the simulator's own rows:
what is hashed is the same text.
"""

import hashlib
import json
import struct
from typing import Any

import pytest

import flowstart as fs
import same_bytes_scenarios as listed
from flowstart import _native
from flowstart.model import catalog

TABLES = ("runs", "flows", "transfers", "objects", "links", "startups")
DIGITS = 16

CASES = [json.loads(line) for line in listed.SCENARIOS.read_text(encoding="utf-8").splitlines()]
RECORDED = [
    tuple(line.split(maxsplit=2))
    for line in (listed.FOLDER / "hashes.txt").read_text(encoding="utf-8").splitlines()
]


def cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    return str(value)


def texts(found: Any, runs: int) -> list[str]:
    """What is hashed of each run."""
    parts: list[list[str]] = [[] for _ in range(runs)]
    for name in TABLES:
        columns = found[name].lists()
        for part in parts:
            part.append(f"[{name}]\n")
        names = sorted(set(columns) - {"run"})
        for place, run in enumerate(columns["run"]):
            parts[run] += [f"{column}={cell(columns[column][place])}\n" for column in names]
    return ["".join(part) for part in parts]


@pytest.mark.parametrize("workers", [1, 8])
def test_rows_are_the_recorded_ones(workers: int) -> None:
    scenarios = [json.dumps({**case["scenario"], "trace": False}) for case in CASES]
    found = texts(_native.run_many(scenarios, workers), len(CASES))
    hashes = [hashlib.sha256(text.encode()).hexdigest()[:DIGITS] for text in found]
    now = [(rows, case["name"]) for rows, case in zip(hashes, CASES, strict=True)]
    assert now == [(rows, name) for rows, _, name in RECORDED]


def test_startups_in_python_come_to_the_same_rows_in_eight_processes() -> None:
    """With one worker they stay in the calling process, with eight they go to copies of it."""

    class Third(fs.Startup):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            w.cwnd += w.segments(a.acked) / 3

    path = fs.NetworkPath(rate="20Mbps", rtt="40ms", buffer="0.5bdp", loss="1%")
    scenarios = [
        fs.Scenario(path=path, flows=[fs.Flow(startup=Third, size="300kB")], seed=seed)
        for seed in range(16)
    ]
    one, eight = (fs.run_many(scenarios, workers=workers) for workers in (1, 8))
    assert one.frame.equals(eight.frame)
    assert one.frame["fct_s"].n_unique() > 1


def test_the_list_is_what_is_written_of_the_catalog() -> None:
    """A startup, queue or path that is new is not in the list: `make same-bytes-record`."""
    written = {case["name"]: case["scenario"] for case in CASES}
    assert written == json.loads(json.dumps(listed.scenarios()))
    names = " ".join(written).split()
    for algorithm in catalog.list_algorithms():
        assert algorithm.name in names or f"{algorithm.name}:ecn=true" in names
