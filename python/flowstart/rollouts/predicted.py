"""What a replay predicted for the setting that is rolled out.

A replay's completion times begin when a connection opens. Captures and logs until the last
acknowledgement have only those of responses, from the first data on, which the replay's rows have.
"""

import pathlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flowstart.errors import RequestError
from flowstart.inference import Row, Statistic
from flowstart.replays.answer import parts
from flowstart.replays.deploy import read_result
from flowstart.replays.runner import TOGETHER

OPTION = "predicted"
ROWS = "rows.parquet"


@dataclass(frozen=True)
class Prediction:
    """The changes of the geometric mean that a replay has for a setting, by size class."""

    setting: str
    changes: dict[str, float]
    responses: dict[str, float]
    """The same of times from the first data sent to its last acknowledgement; empty without rows
    next to the result."""

    def of_responses(self) -> "Prediction":
        """The prediction for measurements that begin with the first data."""
        return replace(self, changes=self.responses or self.changes)

    def agrees(self, row: Row) -> bool | None:
        """Whether it is within a measured interval; None where one of both is missing."""
        change = self.changes.get(row.group)
        if change is None or row.low is None or row.high is None:
            return None
        return row.low <= change <= row.high

    @classmethod
    def read(cls, file: str, setting: str | None) -> "Prediction":
        """From `result.json` or its folder: the setting, or the recommended or only one.

        Raises RequestError where it has no such setting.
        """
        document = read_result(pathlib.Path(file), OPTION)
        verdict = document["verdict"]
        known = [judgement["setting"] for judgement in verdict["settings"]]
        name = setting or verdict.get("recommended") or (known[0] if len(known) == 1 else None)
        if name is None or name not in known:
            wrong = f"`{name}` is not a setting of {file}" if name else "the setting is not named"
            raise RequestError(f"{wrong}; one of {', '.join(known)} is needed", ("setting",))
        path = pathlib.Path(file)
        rows = (path if path.is_dir() else path.parent) / ROWS
        responses = _responses(rows, verdict.get("baseline", ""), name) if rows.exists() else {}
        return cls(name, _changes(document, file, name), responses)


def _changes(document: dict[str, Any], file: str, name: str) -> dict[str, float]:
    try:
        return {
            row["size_class"]: float(row["estimate"])
            for row in document["intervals"]
            if (row["variant"], row["statistic"]) == (name, Statistic.GEOMEAN_RATIO)
            and row["estimate"] is not None
        }
    except (KeyError, TypeError, ValueError):
        raise RequestError(f"{file}: its intervals are damaged", (OPTION,)) from None


def _responses(file: pathlib.Path, baseline: str, name: str) -> dict[str, float]:
    """The changes of the geometric mean by size class, from the replay's rows."""
    import polars as pl

    served = (pl.col("mode") == TOGETHER.mode) & (pl.col("capture_direction") == "s2c")
    log_time = (pl.col("acked_s") - pl.col("sent_s")).log()
    try:
        rows = (
            pl.scan_parquet(file, glob=False)
            .filter(served & pl.col("variant").is_in([baseline, name]))
            .group_by("transfer", maintain_order=True)
            .agg(
                pl.col("size_bytes").first(),
                log_ratio=log_time.filter(pl.col("variant") == name).first()
                - log_time.filter(pl.col("variant") == baseline).first(),
            )
            .drop_nulls()
            .collect()
        )
    except pl.exceptions.PolarsError:
        raise RequestError(f"{file}: its rows are damaged", (OPTION,)) from None
    ratios = rows["log_ratio"].to_numpy()
    split = parts(rows["size_bytes"].to_numpy())
    return {p.name: float(np.expm1(ratios[p.chosen].mean())) for p in split if p.chosen.any()}
