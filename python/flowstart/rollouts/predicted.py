"""What a replay predicted for the setting that is rolled out."""

import pathlib
from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.inference import Row, Statistic
from flowstart.replays.deploy import read_result

OPTION = "predicted"


@dataclass(frozen=True)
class Prediction:
    """The changes of the geometric mean that a replay has for a setting, by size class."""

    setting: str
    changes: dict[str, float]

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
        return cls(name, _changes(document, file, name))


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
