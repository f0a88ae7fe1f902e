"""The requests of the explore view, from JSON of any kind to typed values."""

from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.explorer.http.fields import Fields

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
        """The request of a document; raises RequestError where it has none."""
        fields = Fields(document, ("given", "columns", "from_s", "to_s"))
        given = _given(fields)
        columns = fields.whole("columns", USUAL_COLUMNS, least=1, most=MOST_COLUMNS)
        from_s = fields.seconds("from_s", 0.0)
        to_s = fields.seconds("to_s") if "to_s" in fields else None
        if to_s is not None and round(to_s * 1e9) <= round(from_s * 1e9):
            raise RequestError(
                f"to_s: `{to_s:g}`: a time after from_s = {from_s:g} by a nanosecond or more "
                "is needed"
            )
        return cls(given, columns, from_s, to_s)


@dataclass(frozen=True)
class PacketsRequest:
    """Asks for single packets of one startup's flow."""

    given: Any
    startup: str
    most: int = USUAL_SINGLE_PACKETS

    @classmethod
    def of(cls, document: object) -> "PacketsRequest":
        """The request of a document; raises RequestError where it has none."""
        fields = Fields(document, ("given", "startup", "most"))
        most = fields.whole("most", USUAL_SINGLE_PACKETS, least=1, most=MOST_SINGLE_PACKETS)
        return cls(_given(fields), fields.text("startup"), most)


def given_of(document: object) -> Any:
    """The state in a request that has nothing else."""
    return _given(Fields(document, ("given",)))


def _given(fields: Fields) -> Any:
    if "given" not in fields:
        raise RequestError("given: missing; what is to be compared is needed")
    return fields.any("given")
