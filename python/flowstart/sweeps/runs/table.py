"""The table of a sweep: a row for each cell and variant."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.comparison.plan import REMEMBERED
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode, resolve
from flowstart.model.path import interface_fields
from flowstart.model.variants import Variant
from flowstart.render import columns
from flowstart.sweeps.cell import Cell, measured_flow
from flowstart.sweeps.runs.competing_flows import FULL_SIZE, CompetingFlows, Facts, competing

if TYPE_CHECKING:
    import polars as pl

    from flowstart.simulation.many import RunBatch


@dataclass(frozen=True)
class Planned:
    """A cell, and what runs for it."""

    cell: Cell
    facts: Facts
    competing: CompetingFlows
    base: Document
    """Path, stack and seed."""
    flows: tuple[Document, ...]
    """The flow under test under each variant."""
    scenario: str
    """The cell's scenario with every default filled in, as JSON without what variants give."""

    @classmethod
    def of(cls, cell: Cell, variants: Sequence[Variant], custom: CustomStartups) -> "Planned":
        """Raises RequestError where the simulator refuses the cell."""
        fields, measured = measured_flow(cell.flow)
        base: Document = {"path": cell.path, "stack": cell.stack, "seed": cell.seed, **measured}
        flow = interface_fields(cell.path) | {"cached_cwnd": REMEMBERED} | fields
        if cell.cc:
            flow["cc"] = cell.cc
        plain = resolve(base | {"flows": [flow]}, custom)
        facts = Facts.of(plain, cell.path, plain["flows"][0].get("size", ""))
        beside = competing(cell.competing, facts, flow, plain["stack"]["preset"])
        if facts.rate_bps:
            flow["available_rate"] = f"{round(facts.rate_bps * beside.share)}bps"
        tested = tuple(flow | variant.flow() for variant in variants)
        shown = plain
        if cell.competing != "alone":
            shown = resolve(beside.scenario(base, flow, facts), custom)
        text = _without_startup(shown, beside.under_test)
        return cls(cell, facts, beside, base, tested, text)

    def scenarios(self) -> list[str]:
        """One for each variant, as JSON."""
        return [encode(self.competing.scenario(self.base, flow, self.facts)) for flow in self.flows]

    def alone(self, variant: int, lasts_s: float) -> Document | None:
        """The scenario of the competing flows by itself; None without any."""
        return self.competing.alone(self.base, self.flows[variant], lasts_s)


def _without_startup(resolved: Document, tested: Sequence[int]) -> str:
    flows = [dict(flow) for flow in resolved["flows"]]
    for number in tested:
        flows[number].pop("startup", None)
    return json.dumps(resolved | {"flows": flows}, separators=(",", ":"))


TABLE = "sweep-rows"
"""Its definition among the tables."""
FLOW = (
    *("stack", "cc", "size_bytes", "bdp_pkts"),
    *("fct_s", "duration_s", "ideal_fct_s", "slowdown", "complete"),
    *("packets_sent", "packets_retransmitted", "packets_dropped", "timeouts"),
    *("startup_exit_reason", "startup_exit_s", "startup_exit_cwnd_segments", "max_queue_pkts"),
)
"""What is taken over from the row of the flow under test."""
GOODPUT = (
    *("within_s", "goodput_bps", "goodput_share"),
    *("to_100kb_s", "to_1mb_s", "to_10mb_s"),
)
"""What is taken over from its rate within a time."""
DELAYS = ("delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_max_s", "late_share")
"""What is taken over from the delays of its writes."""
MEASURES = ("ramp_50_s", "ramp_90_s", "overshoot_pkts", "queue_pkt_s", "loss_rounds", "idle_s")
"""What is taken over from the row of its startup."""


def rows(
    planned: Sequence[Planned], variants: Sequence[Variant], batch: "RunBatch"
) -> "pl.DataFrame":
    """What became of the flows under test; the columns of harm are left empty."""
    import polars as pl

    count = len(variants)
    tested = pl.DataFrame(
        {
            "run": range(len(planned) * count),
            "flow": [plan.competing.place for plan in planned for _ in range(count)],
            "place": [index for index in range(len(planned)) for _ in range(count)],
            "startup": [variant.name for variant in variants] * len(planned),
        },
        schema={"run": pl.Int64, "flow": pl.Int64, "place": pl.Int64, "startup": pl.String},
    )
    records = [_asked(plan.cell, plan.facts) | {"scenario": plan.scenario} for plan in planned]
    cells = pl.DataFrame(records, schema_overrides=columns.types(TABLE), infer_schema_length=None)
    key = ["run", "flow"]
    errors = batch.runs.select(pl.col("run").cast(pl.Int64), pl.col("error").cast(pl.String))
    flows = batch.frame.select(pl.col(key).cast(pl.Int64), *FLOW)
    joined = (
        tested.join(errors, on="run", how="left", maintain_order="left")
        .join(flows, on=key, how="left", maintain_order="left")
        .join(_some(batch.startups, MEASURES), on=key, how="left", maintain_order="left")
        .join(_limits(batch), on=key, how="left", maintain_order="left")
        .join(_some(batch.goodputs, GOODPUT), on=key, how="left", maintain_order="left")
        .join(_some(batch.delays, DELAYS), on=key, how="left", maintain_order="left")
    )
    mine = cells[joined["place"]].get_columns()
    return _finished(joined.drop("place", *key).hstack(mine))


def refused(cell: Cell, variants: Sequence[Variant], why: str) -> "pl.DataFrame":
    """The rows of a cell that the simulator refused."""
    import polars as pl

    common = _named(cell) | {"error": why}
    return _finished(pl.DataFrame([common | {"startup": variant.name} for variant in variants]))


def content(cell: Cell) -> str:
    """A name for what a cell asks: 16 hexadecimal digits."""
    fields = [cell.path, cell.flow, cell.stack, cell.cc, cell.competing, cell.seed]
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _named(cell: Cell) -> dict[str, Any]:
    """Which cell it is."""
    return {
        "cell": cell.number,
        "hash": content(cell),
        "origin": cell.origin,
        "split": cell.split,
        "competing": cell.competing,
        "seed": cell.seed,
    }


def _asked(cell: Cell, facts: Facts) -> dict[str, Any]:
    """What is the same for all variants of a cell."""
    return _named(cell) | {
        "rate_bps": facts.rate_bps,
        "rtt_s": facts.rtt_s,
        "buffer_pkts": facts.buffer_pkts,
        "queue": facts.queue,
        "loss": facts.loss,
        "reverse_rate_bps": facts.reverse_rate_bps,
        "impairments": facts.impairments,
    }


def _some(table: "pl.DataFrame", names: Sequence[str]) -> "pl.DataFrame":
    """Columns of a table by run and flow; without rows, none of them."""
    import polars as pl

    if table.is_empty():
        return pl.DataFrame(schema={"run": pl.Int64, "flow": pl.Int64})
    return table.select(pl.col("run", "flow").cast(pl.Int64), *names)


def _limits(batch: "RunBatch") -> "pl.DataFrame":
    """What limited each flow."""
    import polars as pl

    of_flows = batch.limits.filter(pl.col("transfer").is_null()).drop("transfer")
    return of_flows.with_columns(pl.col("run", "flow").cast(pl.Int64))


def _finished(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame with what follows from other columns, all columns there and typed."""
    import polars as pl

    types = columns.types(TABLE)
    missing = [name for name in types if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None).alias(name) for name in missing)
    frame = frame.select(pl.col(name).cast(dtype) for name, dtype in types.items())
    bdp = pl.col("rate_bps") * pl.col("rtt_s") / (8 * FULL_SIZE)
    sent = pl.when(pl.col("packets_sent") > 0).then("packets_sent")
    return frame.with_columns(
        buffer_bdp=pl.col("buffer_pkts") / bdp,
        exit_cwnd_bdp=pl.col("startup_exit_cwnd_segments") / bdp,
        retransmitted_share=pl.col("packets_retransmitted") / sent,
    )
