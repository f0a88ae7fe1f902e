"""Runs cells and makes rows of them: one for each cell and variant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many
from flowstart.simulation.many import RunBatch
from flowstart.simulation.run import simulate
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs import table
from flowstart.sweeps.runs.table import Planned

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


STILL = 0.5
"""A long flow that stands still for this share of the time by itself is not warm."""


@dataclass(frozen=True)
class Harm:
    """What was lost."""

    share: float
    """0 to 1."""
    seconds: float | None
    """The same as time; below 0 where the competing flows was quicker, None where it was never
    done."""

    @classmethod
    def of_times(cls, beside: float, alone: float) -> "Harm":
        """Of a time that is the better the less it is."""
        added = beside - alone
        return cls(max(0.0, added / beside) if beside > 0 else 0.0, added)


@dataclass(frozen=True)
class Seen:
    """What a run showed of the competing flows, and of the flow under test."""

    opened_s: float | None
    """When the flow under test opened."""
    done_s: float | None
    """When it was done; None where it was not."""
    end_s: float
    """When the run ended."""
    delivered_bytes: int
    """By the flow under test."""
    watched_bytes: int
    """By the flow that is watched."""
    watched_fct_s: float | None
    writes: "pl.DataFrame"
    """Its writes, where it has some."""
    objects: "pl.DataFrame"
    """Those of web sessions."""


@dataclass(frozen=True)
class Alone:
    """What a run without the flow under test showed."""

    fct_s: float | None
    writes: "pl.DataFrame"
    objects: "pl.DataFrame"
    progress: "tuple[np.ndarray, np.ndarray] | None" = None
    """Times in seconds at which a long flow's receiver had got further, and how far in bytes."""


def harm(kind: str, seen: Seen, alone: Alone) -> Harm | None:
    """The harm to this kind of competing flows; None where it was not seen to its end."""
    if seen.opened_s is None:
        return None
    if kind in ("long", "bbr"):
        return _to_long(seen, alone)
    if kind in ("short", "same"):
        return _to_transfer(seen, alone)
    return _to_call(seen, alone) if kind == "probe" else _to_web(seen, alone)


def _to_long(seen: Seen, alone: Alone) -> Harm | None:
    """The bytes that a long flow delivered less, beyond those that it had to share.

    None where it stood still by itself, as after a timeout: it was not warm.
    """
    import numpy as np

    assert alone.progress is not None
    assert seen.opened_s is not None
    times, positions = alone.progress
    if _longest_pause(times, seen.opened_s, seen.end_s) > STILL * (seen.end_s - seen.opened_s):
        return None
    opened, end = np.interp([seen.opened_s, seen.end_s], times, positions)
    possible = end - opened
    lost = end - seen.watched_bytes - seen.delivered_bytes
    # What hardly moves by itself, as in a timeout, can gain many times what it would have got.
    share = min(max(-1.0, lost / possible), 1.0) if possible > 0 else 0.0
    return Harm(max(0.0, share), share * (seen.end_s - seen.opened_s))


def _longest_pause(times: "np.ndarray", begin_s: float, end_s: float) -> float:
    """The longest time between two steps of progress in a window, whose ends count as steps."""
    import numpy as np

    within = times[(times > begin_s) & (times < end_s)]
    return float(np.diff([begin_s, *within, end_s]).max())


def _to_transfer(seen: Seen, alone: Alone) -> Harm | None:
    if alone.fct_s is None:
        return None
    if seen.watched_fct_s is None:
        return Harm(1.0, None)
    return Harm.of_times(seen.watched_fct_s, alone.fct_s)


def _to_call(seen: Seen, alone: Alone) -> Harm | None:
    """The 95th percentile of a call's delays while the flow under test is open.

    What had not arrived when the run ended took at least until then.
    """
    beside, without = (_delay(writes, seen) for writes in (seen.writes, alone.writes))
    if beside is None or without is None:
        return None
    return Harm.of_times(beside, without)


def _delay(writes: "pl.DataFrame", seen: Seen) -> float | None:
    import polars as pl

    at = pl.col("available_s")
    during = (at >= seen.opened_s) & (at <= (seen.done_s or seen.end_s))
    delay = pl.col("delivered_s").fill_null(seen.end_s) - at
    delay_s = writes.filter(during).select(delay.quantile(0.95, "nearest")).item()
    return None if delay_s is None else float(delay_s)


def _to_web(seen: Seen, alone: Alone) -> Harm | None:
    """The response times of objects that were asked for while the flow under test was open.

    One that was not there when the run ended took at least until then.
    """
    import polars as pl

    key = ["web", "session", "page", "object"]
    if seen.objects.is_empty() or alone.objects.is_empty():
        return None
    at = pl.col("requested_s")
    during = seen.objects.filter((at >= seen.opened_s) & (at <= (seen.done_s or seen.end_s)))
    during = during.with_columns(pl.col("response_s").fill_null(seen.end_s - at))
    both = during.join(alone.objects, on=key, suffix="_alone").select(
        "response_s", "response_s_alone"
    )
    both = both.drop_nulls()
    if both.is_empty():
        return None
    ratio = math.exp((both["response_s"] / both["response_s_alone"]).log().mean())  # type: ignore[arg-type]
    added = (both["response_s"] - both["response_s_alone"]).mean()
    return Harm(max(0.0, 1 - 1 / ratio), float(added))  # type: ignore[arg-type]


LONG = ("bbr", "long")
"""The kinds of competing flows that transfer without end."""


def harms_of_runs(
    planned: Sequence[Planned], batch: "RunBatch", custom: CustomStartups
) -> "list[pl.Series]":
    """The columns of harm, a value for each cell and variant."""
    import polars as pl

    harms: list[Harm | None] = []
    shown = _Runs.of(batch) if any(plan.cell.competing != "alone" for plan in planned) else None
    for plan in planned:
        if plan.cell.competing == "alone" or shown is None:
            harms += [None] * len(plan.flows)
            continue
        first = len(harms)
        seen = [shown.seen(first + number, plan) for number in range(len(plan.flows))]
        harms += _of_cell(plan, seen, custom)
    return [
        pl.Series("harm", [h.share if h else None for h in harms], dtype=pl.Float64),
        pl.Series("harm_s", [h.seconds if h else None for h in harms], dtype=pl.Float64),
    ]


def _of_cell(
    plan: Planned, seen: Sequence[Seen | None], custom: CustomStartups
) -> list[Harm | None]:
    """The harm under each variant. One run without the flow under test serves them all.

    That of a sibling depends on the variant, since it is what the variant does by itself.
    """
    kind = plan.cell.competing
    lasts_s = max((run.end_s for run in seen if run), default=0.0)
    lasts_s += plan.facts.rtt_s  # the last acknowledgements are on their way for half of it
    common = None if kind == "same" else _alone(plan, 0, lasts_s, custom)
    harms: list[Harm | None] = []
    for variant, run in enumerate(seen):
        alone = common or _alone(plan, variant, lasts_s, custom)
        harms.append(harm(kind, run, alone) if run else None)
    return harms


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

    def seen(self, run: int, plan: Planned) -> Seen | None:
        """What a run showed; None where it failed."""
        import polars as pl

        about = self.runs[run]
        if about["error"]:
            return None
        flows = self.flows[run]
        tested = flows.row(plan.competing.place, named=True)
        watched = plan.competing.watched
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


def _alone(plan: Planned, variant: int, lasts_s: float, custom: CustomStartups) -> Alone:
    """What the competing flows does without the flow under test."""
    document = plan.alone(variant, lasts_s)
    assert document is not None
    is_long = plan.cell.competing in LONG
    outcome = simulate(document | {"trace": is_long}, custom).outcome
    flows = frames.frame(outcome["flows"])
    progress = None
    if is_long and outcome["trace"]:
        progress = _progress(outcome["trace"]["flow_samples"], plan.facts.rtt_s)
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


def run_cells(
    cells: Sequence[Cell],
    variants: Sequence[Variant],
    custom: CustomStartups,
    workers: int | None = 1,
) -> "pl.DataFrame":
    """One row for each cell and variant, in that order, with the columns of `table.SCHEMA`.

    What fails is a row with its `error`, and fails nothing else. `workers` are threads, all cores
    where None. Raises KeyboardInterrupt where Ctrl-C ended it.
    """
    import polars as pl

    planned: list[Planned] = []
    refused: list[pl.DataFrame] = []
    for cell in cells:
        try:
            planned.append(Planned.of(cell, variants, custom))
        except RequestError as error:
            refused.append(table.refused(cell, variants, str(error)))
    if not planned:
        return pl.concat(refused)
    texts = [text for plan in planned for text in plan.scenarios()]
    batch = RunBatch(run_many(texts, workers, None, custom, limits=True), len(texts))
    if batch.interrupted:
        raise KeyboardInterrupt
    harms = harms_of_runs(planned, batch, custom)
    rows = table.rows(planned, variants, batch).with_columns(harms)
    if not refused:
        return rows
    return pl.concat([rows, *refused]).sort("cell", maintain_order=True)
