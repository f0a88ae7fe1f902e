"""What was found in captures: connections, transfers, the paths they came over."""

import dataclasses
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import extras
from flowstart.captures import groups, sampling
from flowstart.captures.groups import Group, retransmitted_share
from flowstart.captures.sampling import Sample
from flowstart.captures.summary import demands, flagged, spread, summary
from flowstart.render import html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OPTIONAL = ("state", "history", "missed_bytes")
"""Columns that JSON has only where there is a value: a conn.log's own."""


@dataclass(frozen=True, repr=False)
class Capture:
    """Connections and transfers of captures and logs; `docs/captures.md` explains the columns.

    Example:
        >>> import flowstart as fs
        >>> capture = fs.read_capture("tests/data/captures/small.pcap")
        >>> capture.connections.height
        11
    """

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
    quic: "pl.DataFrame | None" = None
    """One row per QUIC connection that passed: what can be seen of it from outside."""
    sampled_from: int | None = None
    """How many connections there were, where a sample of them was drawn."""
    options: tuple[str, ...] = ()
    """The options of commands that read it so: `--sample`, `10%`."""
    anonymous: bool = False
    """Whether networks and hosts have other names, and ports are dropped."""

    @property
    def frame(self) -> "pl.DataFrame":
        """The transfers; other tables are `connections`, `demands` and `quic`."""
        return self.transfers

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
        return summary(self.connections)

    @property
    def retransmitted_share(self) -> float | None:
        """Share of the packets with data that repeat some; None where no packets are known."""
        return retransmitted_share(self.groups)

    def to_dict(self, *, rows: bool = True) -> dict[str, Any]:
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
            **({"sampled_from": self.sampled_from} if self.sampled_from is not None else {}),
            **(lists if rows else {}),
            "quic": self._quic_document(rows=rows),
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

    def sampled(self, sample: Sample) -> "Capture":
        """The same with a part of the connections, each with all of its transfers.

        The estimates of paths are those of all connections.
        """
        import polars as pl

        drawn = sample.of(self.connections)
        numbers = drawn.select(pl.col("was").alias("connection"), pl.col("stream").alias("number"))
        transfers = self.transfers.join(numbers, on="connection", maintain_order="left")
        return dataclasses.replace(
            self,
            connections=drawn.drop("was"),
            transfers=transfers.with_columns(connection=pl.col("number")).drop("number"),
            sampled_from=len(self.connections),
        )

    def anonymized(self) -> "Capture":
        """The same without addresses, ports and names of networks."""
        names = sampling.networks(self.connections["network"])
        hosts = sampling.hosts(self.connections, self.quic)
        files = sampling.files(self.files)
        quic = self.quic
        return dataclasses.replace(
            self,
            files=tuple(files[file] for file in self.files),
            connections=sampling.without_addresses(self.connections, names | hosts, files),
            quic=quic if quic is None else sampling.without_addresses(quic, hosts, files),
            # What no connection is left of has no name.
            groups=[
                dataclasses.replace(group, network=names[group.network])
                for group in self.groups
                if group.network in names
            ],
            warnings=[sampling.without_names(text, self.files) for text in self.warnings],
            anonymous=True,
        )

    def _quic_document(self, *, rows: bool) -> dict[str, Any]:
        """The QUIC connections counted, and one by one."""
        if self.quic is None:
            return {"connections": 0}
        sums = {name: int(self.quic[name].sum()) for name in ("c2s_bytes", "s2c_bytes")}
        counted = {"connections": len(self.quic), **sums, "rtt_s": spread(self.quic["rtt_s"])}
        return counted | ({"rows": self.quic.to_dicts()} if rows else {})

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Needed initial rate over size, as in the Jump Start paper's figure 3.

        Args:
            ax: The axes to draw into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.captures.figures import needed_rates  # loads matplotlib

        return needed_rates(self.demands, ax)

    def __str__(self) -> str:
        from flowstart.render.summary import screen

        return screen(groups.headline(self), groups.summary(self.summary), "`.summary`")

    def __repr__(self) -> str:
        counts = f"{self.connections.height} connections, {self.transfers.height} transfers"
        return f"<Capture {self.file}: {counts}>"

    def _repr_html_(self) -> str:
        return html.table(groups.summary(self.summary)) + html.table(groups.networks(self))


def _connection(row: dict[str, Any]) -> dict[str, Any]:
    row = _flags_apart(row)
    return {name: cell for name, cell in row.items() if cell is not None or name not in OPTIONAL}


def _flags_apart(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"flags": row["flags"].split()}
