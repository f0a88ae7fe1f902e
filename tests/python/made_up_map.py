"""A folder as a sweep leaves it, with outcomes that a test makes up."""

import io
import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from flowstart.render import files

SCENARIO = {
    "path": {"rate": "10Mbps", "rtt": "40ms", "buffer": "30pkt"},
    "stack": {"preset": "linux"},
    "flows": [{"size": "100kB", "cached_cwnd": "1bdp", "interface_rate": "1Gbps"}],
    "seed": 1,
}
CELL: dict[str, Any] = {
    "hash": "0123456789abcdef",
    "origin": "",
    "split": "",
    "competing": "alone",
    "seed": 1,
    "stack": "linux",
    "cc": "cubic",
    "rate_bps": 10e6,
    "rtt_s": 0.04,
    "buffer_pkts": 30,
    "buffer_bdp": 0.9,
    "bdp_pkts": 33,
    "queue": "drop-tail",
    "loss": 0.0,
    "reverse_rate_bps": 10e6,
    "impairments": "",
    "size_bytes": 100_000,
    "scenario": json.dumps(SCENARIO),
}
TYPES = {
    "rate_bps": pl.Float64,
    "reverse_rate_bps": pl.Float64,
    "buffer_pkts": pl.Int64,
    "buffer_bdp": pl.Float64,
    "error": pl.String,
    "fct_s": pl.Float64,
    "complete": pl.Boolean,
    "retransmitted_share": pl.Float64,
    "harm": pl.Float64,
}


def row(cell: int, startup: str, fct_s: float | None, **told: Any) -> dict[str, Any]:
    """What a startup came to in a cell; None where it was never completed."""
    outcome = {"error": None, "fct_s": fct_s, "complete": fct_s is not None}
    usual = {"retransmitted_share": 0.0, "harm": None}
    return {"cell": cell, "startup": startup} | CELL | outcome | usual | told


def cell(number: int, times: Mapping[str, float | None], **told: Any) -> list[dict[str, Any]]:
    """A cell with the completion times of its startups."""
    return [row(number, startup, time, **told) for startup, time in times.items()]


def write(folder: pathlib.Path, *parts: Sequence[Mapping[str, Any]]) -> pathlib.Path:
    """The folder, with a file for each of `parts`."""
    (folder / "parts").mkdir(parents=True)
    for number, rows in enumerate(parts):
        frame = pl.DataFrame(
            list(rows), schema_overrides={n: t for n, t in TYPES.items() if n in rows[0]}
        )
        content = io.BytesIO()
        frame.write_parquet(content, metadata={files.FIELD: files.BLANK})
        file = folder / "parts" / f"{number:08}-0123456789abcdef.parquet"
        file.write_bytes(files.seal(content.getvalue()))
    return folder
