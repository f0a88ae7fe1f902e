"""The harm in every run of a batch: runs without the flow under test, and what they show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.model.custom import CustomStartups
from flowstart.simulation import frames
from flowstart.simulation.run import simulate
from flowstart.sweeps.runs.harm import Alone, Harm, Seen, harm
from flowstart.sweeps.runs.planned import Planned

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from flowstart.simulation.many import RunBatch

LONG = ("bbr", "long")
"""The kinds of competing flows that transfer without end."""


def harms(
    planned: Sequence[Planned], batch: "RunBatch", custom: CustomStartups
) -> "list[pl.Series]":
    """The columns of harm, a value for each cell and variant."""
    import polars as pl

    found: list[Harm | None] = []
    shown = _Runs.of(batch) if any(one.cell.competing != "alone" for one in planned) else None
    for one in planned:
        if one.cell.competing == "alone" or shown is None:
            found += [None] * len(one.flows)
            continue
        first = len(found)
        seen = [shown.seen(first + number, one) for number in range(len(one.flows))]
        found += _of_cell(one, seen, custom)
    return [
        pl.Series("harm", [one.share if one else None for one in found], dtype=pl.Float64),
        pl.Series("harm_s", [one.seconds if one else None for one in found], dtype=pl.Float64),
    ]


def _of_cell(
    one: Planned, seen: Sequence[Seen | None], custom: CustomStartups
) -> list[Harm | None]:
    """The harm under each variant. One run without the flow under test serves them all.

    That of a sibling depends on the variant, since it is what the variant does by itself.
    """
    kind = one.cell.competing
    lasts_s = max((run.end_s for run in seen if run), default=0.0)
    lasts_s += one.facts.rtt_s  # the last acknowledgements are on their way for half of it
    common = None if kind == "same" else _alone(one, 0, lasts_s, custom)
    found: list[Harm | None] = []
    for variant, run in enumerate(seen):
        alone = common or _alone(one, variant, lasts_s, custom)
        found.append(harm(kind, run, alone) if run else None)
    return found


@dataclass(frozen=True)
class _Runs:
    """The tables of a batch, apart by run."""

    runs: list[dict[str, Any]]
    flows: "dict[int, pl.DataFrame]"
    transfers: "dict[int, pl.DataFrame]"
    objects: "dict[int, pl.DataFrame]"

    @classmethod
    def of(cls, batch: "RunBatch") -> "_Runs":
        tables = [_apart(table) for table in (batch.frame, batch.transfers, batch.objects)]
        return cls(batch.runs.to_dicts(), *tables)

    def seen(self, run: int, one: Planned) -> Seen | None:
        """What a run showed; None where it failed."""
        import polars as pl

        about = self.runs[run]
        if about["error"]:
            return None
        flows = self.flows[run]
        tested = flows.row(one.competing.place, named=True)
        watched = one.competing.watched
        other = {} if watched is None else flows.row(watched, named=True)
        opened, lasted = tested["opened_s"], tested["duration_s"]
        return Seen(
            opened_s=opened,
            done_s=None if opened is None or lasted is None else opened + lasted,
            end_s=about["simulated_s"],
            delivered_bytes=tested["bytes_delivered"],
            watched_bytes=other.get("bytes_delivered", 0),
            watched_fct_s=other.get("fct_s"),
            writes=self.transfers.get(run, pl.DataFrame()),
            objects=self.objects.get(run, pl.DataFrame()),
        )


def _apart(table: "pl.DataFrame") -> "dict[int, pl.DataFrame]":
    """The rows of each run."""
    if table.is_empty():
        return {}
    return {key[0]: rows for key, rows in table.partition_by("run", as_dict=True).items()}


def _alone(one: Planned, variant: int, lasts_s: float, custom: CustomStartups) -> Alone:
    """What the competing flows does without the flow under test."""
    document = one.alone(variant, lasts_s)
    assert document is not None
    is_long = one.cell.competing in LONG
    outcome = simulate(document | {"trace": is_long}, custom).outcome
    flows = frames.frame(outcome["flows"])
    progress = None
    if is_long and outcome["trace"]:
        progress = _progress(outcome["trace"]["flow_samples"], one.facts.rtt_s)
    return Alone(
        fct_s=None if flows.is_empty() else flows["fct_s"][0],
        writes=frames.frame(outcome["transfers"]),
        objects=frames.frame(outcome["objects"]),
        progress=progress,
    )


ACKNOWLEDGED = 2
"""The event of a trace that an acknowledgement has arrived."""


def _progress(samples: "dict[str, Any]", rtt_s: float) -> "tuple[np.ndarray, np.ndarray]":
    """When the receiver had got how far: half a round trip before its acknowledgement arrived."""
    import numpy as np

    acks = samples["event"] == ACKNOWLEDGED
    times = samples["time_ns"][acks] / 1e9 - rtt_s / 2
    return times, np.maximum.accumulate(samples["seq_bytes"][acks].astype(float))
