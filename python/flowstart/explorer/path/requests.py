"""What a page's requests say, from JSON of any kind to typed values."""

import math
from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest

MOST_COLUMNS = 8_000
"""No screen is wider; bins are counted in 16 bits, and there are up to two for each column."""
USUAL_COLUMNS = 600
MOST_SINGLE_PACKETS = 20_000
"""Packets of a flow that an answer shows one by one."""
USUAL_SINGLE_PACKETS = 2_000


@dataclass(frozen=True)
class CompareRequest:
    """Asks for the table and for what every startup did over time."""

    given: Any
    columns: int = USUAL_COLUMNS
    from_s: float = 0.0
    to_s: float | None = None

    @classmethod
    def of(cls, document: object) -> "CompareRequest":
        """The request that a document says; raises RequestError where it says none."""
        fields = _fields(document, ("given", "columns", "from_s", "to_s"))
        columns = _whole(fields, "columns", USUAL_COLUMNS, MOST_COLUMNS)
        from_s, to_s = _seconds(fields, "from_s"), _seconds(fields, "to_s")
        if to_s is not None and round(to_s * 1e9) <= round((from_s or 0.0) * 1e9):
            raise RequestError(
                f"to_s: `{to_s:g}`: a time after from_s = {from_s or 0:g} by a nanosecond or more "
                "is needed"
            )
        return cls(fields["given"], columns, from_s or 0.0, to_s)


@dataclass(frozen=True)
class PacketsRequest:
    """Asks for single packets of one startup's flow."""

    given: Any
    startup: str
    most: int = USUAL_SINGLE_PACKETS

    @classmethod
    def of(cls, document: object) -> "PacketsRequest":
        """The request that a document says; raises RequestError where it says none."""
        fields = _fields(document, ("given", "startup", "most"))
        startup = fields.get("startup")
        if not isinstance(startup, str):
            raise RequestError("startup: the name of one of the startups in `given` is needed")
        most = _whole(fields, "most", USUAL_SINGLE_PACKETS, MOST_SINGLE_PACKETS)
        return cls(fields["given"], startup, most)


def given_of(document: object) -> Any:
    """The state in a request that says nothing else."""
    return _fields(document, ("given",))["given"]


def _fields(document: object, known: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a request, `given` among them; null is as if it were not there."""
    if not isinstance(document, dict):
        raise RequestError('a JSON object is needed, such as {"given": {"rate": "50Mbps"}}')
    for name in document:
        if name not in known:
            raise RequestError(f"`{name[:100]}` is unknown{suggest(name, list(known))}")
    if document.get("given") is None:
        raise RequestError("given: missing; what is to be compared is needed")
    return {name: value for name, value in document.items() if value is not None}


def _whole(fields: dict[str, Any], name: str, usual: int, most: int) -> int:
    value = fields.get(name, usual)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise RequestError(
            f"{name}: `{str(value)[:50]}`: a whole number from 1 to {most} is needed"
        )
    return value


def _seconds(fields: dict[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1e6:
        raise RequestError(f"{name}: `{str(value)[:50]}`: seconds from 0 to 1000000 are needed")
    return float(value)
