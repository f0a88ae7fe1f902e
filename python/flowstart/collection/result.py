"""What a collection has come to."""

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.collection.outputs import LINES
from flowstart.errors import RequestError
from flowstart.public import RETURNED, Public

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Collection(metaclass=Public):
    """How much was collected, and what is missing.

    Attributes:
        output: The folder or file of the rows; None for the standard output.
        rows: Responses that were written.
        connections: Connections that were collected.
        still_open: Connections that were open at the end; a response under way has no row.
        skipped: Connections above `max_connections`.
        lost: Rows for which the kernel had no room.
        began: When it began, in seconds since 1970.
        ended: When it ended, in seconds since 1970.
    """

    __signature__ = RETURNED

    output: str | None
    rows: int
    connections: int
    still_open: int
    skipped: int
    lost: int
    began: float
    ended: float

    @property
    def frame(self) -> "pl.DataFrame":
        """All rows in the folder or file; of a congestion control in the order of their ends."""
        import polars as pl

        if self.output is None:
            raise RequestError("the rows went to the standard output; name an output")
        if self.output.endswith(LINES):
            return pl.read_ndjson(self.output)
        return pl.read_parquet(f"{self.output}/*/*.parquet")

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        took = text.seconds(self.ended - self.began)
        responses = text.counted(self.rows, "response", "responses")
        lines = [f"{responses} of {text.count(self.connections)} connections in {took}."]
        missing = {
            self.still_open: "connections are open; responses under way are missing.",
            self.skipped: "connections were skipped: --max-connections is the limit.",
            self.lost: "responses were lost: the rows came too fast.",
        }
        lines += [f"{text.count(count)} {what}" for count, what in missing.items() if count]
        if self.rows and self.output:
            lines.append(f"Next: flowstart capture {self.output}")
        return "\n".join(lines)
