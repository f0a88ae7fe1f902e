"""The transfers of both sets of a rollout, from anything that a replay reads."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.captures import durations, server_log
from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture
from flowstart.errors import RequestError
from flowstart.questions.verify import Verify

if TYPE_CHECKING:
    import polars as pl

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Chosen: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Measured:
    """What is used of one set."""

    name: str
    rows: "pl.DataFrame"
    """A row per transfer: `network`, `connection`, `bytes`, `time_s` (infinite where no end was
    seen), `sent` and `retransmitted` (packets; null where the source has none)."""
    begin: float
    end: float
    """From when to when transfers start, in seconds since 1970."""
    of_responses: bool
    """Whether times are those from the first data sent to its last acknowledgement."""
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """What was read, as JSON types."""
        return {
            "file": self.name,
            "transfers": self.rows.height,
            "unfinished": int(self.rows["time_s"].is_infinite().sum()),
            "networks": self.rows["network"].n_unique(),
            "begin": self.begin,
            "end": self.end,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


def measured(
    source: Capture | str | os.PathLike[str], question: Verify, location: tuple[str, ...] = ()
) -> Measured:
    """Reads a set. Raises RequestError where it has no completion times; `location` names it."""
    import polars as pl

    capture = source
    if not isinstance(capture, Capture):
        capture = read_capture(capture, columns=question.columns, progress=question.progress)
    if capture.anonymous:
        raise RequestError(
            f"{capture.file}: its networks are anonymous, and those of two sets are not the same; "
            "read it without `anonymize`",
            location,
        )
    is_log = server_log.is_log(capture)
    kind = server_log.kind_of(capture)
    connections = capture.connections.select(
        "network",
        connection="stream",
        is_remote=pl.col("opener") == "remote",
        packets=pl.col("s2c_packets").cast(pl.Float64),
        repeated=pl.col("s2c_retransmissions").cast(pl.Float64),
        whole=pl.col("s2c_bytes").cast(pl.Float64),
    )
    served = capture.transfers.filter(pl.col("direction") == "s2c")
    rows = served.join(connections, on="connection", maintain_order="left")
    # Data that leaves the monitor's side is done when it is acknowledged.
    ends = pl.col("end_s") if is_log else pl.when("is_remote").then("acked_s").otherwise("end_s")
    share = pl.col("bytes") / pl.col("whole")
    rows = rows.select(
        "network",
        "connection",
        "start",
        "bytes",
        time_s=ends if is_log else ends.fill_null(float("inf")),
        sent=share * pl.col("packets"),
        retransmitted=share * pl.col("repeated"),
    ).filter(pl.col("network").is_not_null() & (pl.col("time_s") > 0))
    if not rows["time_s"].is_finite().any():
        raise RequestError(
            f"{capture.file}: no transfer of a server has a completion time; packets of both "
            "directions or a log with durations are needed",
            location,
        )
    if is_log and not kind.gives_rates:
        raise RequestError(
            f"{capture.file}: its durations end when {kind.end}; those until the client has the "
            "last byte are needed, such as --columns duration=COLUMN:s:acked",
            location,
        )
    starts = rows["start"]
    return Measured(
        capture.file,
        rows.drop("start"),
        float(starts.min()),  # type: ignore[arg-type]
        float(starts.max()),  # type: ignore[arg-type]
        not is_log or kind is durations.KINDS["acked"],
        tuple(capture.warnings),
        tuple(capture.notes),
    )


@dataclass(frozen=True)
class Transfers:
    """The transfers of both sets, an entry each."""

    treated: Chosen
    """Which belong to the treatment."""
    times_s: Floats
    """Completion times; infinite where no end was seen."""
    sizes: Floats
    networks: Numbers
    """The place of each one's network among `names`."""
    connections: Numbers
    """Numbered over both sets."""
    sent: Floats
    """Packets; NaN where they are not known."""
    retransmitted: Floats
    names: tuple[str, ...]
    """All networks."""

    @classmethod
    def of(cls, control: "pl.DataFrame", treatment: "pl.DataFrame") -> "Transfers":
        """From the rows of both sets."""
        import polars as pl

        both = pl.concat(
            [control.with_columns(treated=False), treatment.with_columns(treated=True)]
        )
        names = both["network"].unique().sort()
        places = both["network"].cast(pl.Enum(names)).to_physical()
        ends = both.select(pl.struct("treated", "connection").rank("dense")).to_series()
        return cls(
            treated=both["treated"].to_numpy(),
            times_s=both["time_s"].to_numpy(),
            sizes=both["bytes"].cast(pl.Float64).to_numpy(),
            networks=places.cast(pl.Int64).to_numpy(),
            connections=ends.cast(pl.Int64).to_numpy() - 1,
            sent=both["sent"].fill_null(float("nan")).to_numpy(),
            retransmitted=both["retransmitted"].fill_null(float("nan")).to_numpy(),
            names=tuple(names),
        )

    @property
    def done(self) -> Chosen:
        """Which have a completion time."""
        return np.isfinite(self.times_s)
