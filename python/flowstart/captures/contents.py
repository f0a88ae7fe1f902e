"""What was found in captures: connections, transfers, the paths they came over."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.captures import tables
from flowstart.captures.demands import demands
from flowstart.captures.groups import Group, retransmitted_share
from flowstart.captures.summary import flagged, summary
from flowstart.render import html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

OPTIONAL = ("state", "history", "missed_bytes")
"""Columns that JSON has only where there is a value: a conn.log's own."""


@dataclass(frozen=True, repr=False)
class Capture:
    """What was found in one or several files; the columns are explained in `docs/captures.md`."""

    files: tuple[str, ...]
    connections: "pl.DataFrame"
    """One row per TCP connection, by number (`stream`).

    `network` is the far side's network, by which paths are told apart; `opener` says which side
    opened the connection, `remote` or `local`."""
    transfers: "pl.DataFrame"
    """One row per transfer, by start: one direction's data between turns of a conversation."""
    groups: list[Group]
    """The networks at the far side and their paths, those with the most data first."""
    about: dict[str, Any]
    """Of the files: their `format`, `link_types`, `packets` and those `unreadable`."""
    warnings: list[str]
    """What was wrong with the files or is not to be believed."""
    notes: list[str]
    """Methods, and what this kind of file cannot tell."""

    @property
    def file(self) -> str:
        """The file, or how many there are, for a headline."""
        first, *others = ("standard input" if file == "-" else file for file in self.files)
        return f"{first} and {len(others)} more" if others else first

    @functools.cached_property
    def demands(self) -> "pl.DataFrame":
        """One row per direction with data: the rate that one round trip would need."""
        return demands(self.connections)

    @functools.cached_property
    def summary(self) -> dict[str, Any]:
        """The counts over all connections."""
        return summary(self.connections, self.demands)

    @property
    def retransmitted_share(self) -> float | None:
        """Share of the packets with data that repeat some; None where no packets are known."""
        return retransmitted_share(self.groups)

    def document(self, *, rows: bool = True) -> dict[str, Any]:
        """Everything, as `flowstart capture --json` prints it; without rows, what is counted."""
        numbers = dict(self.connections.group_by("network").agg("stream").iter_rows())
        lists = {
            "connections": [_connection(row) for row in self.connections.iter_rows(named=True)],
            "demands": [_flags_apart(row) for row in self.demands.iter_rows(named=True)],
            "transfers": self.transfers.to_dicts(),
        }
        return {
            "files": list(self.files),
            **self.about,
            **(lists if rows else {}),
            "groups": [
                group.document(sorted(numbers.get(group.network, [])))
                if rows
                else group.document([]) | {"connections": group.connections}
                for group in self.groups
            ],
            "summary": self.summary,
            "flagged": flagged(self.connections),
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def plot(self) -> "Figure":
        """Needed initial rate over size, as in the Jump Start paper's figure 3."""
        from flowstart.captures.figures import needed_rates  # loads matplotlib

        return needed_rates(self.demands)

    def __str__(self) -> str:
        from flowstart.render.terminal import screen  # loads rich

        return screen(tables.headline(self), tables.summary(self.summary), "`.summary`")

    def __repr__(self) -> str:
        counts = f"{self.connections.height} connections, {self.transfers.height} transfers"
        return f"<Capture {self.file}: {counts}>"

    def _repr_html_(self) -> str:
        return html.table(tables.summary(self.summary)) + html.table(tables.networks(self))


def _connection(row: dict[str, Any]) -> dict[str, Any]:
    row = _flags_apart(row)
    return {name: cell for name, cell in row.items() if cell is not None or name not in OPTIONAL}


def _flags_apart(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"flags": row["flags"].split()}
