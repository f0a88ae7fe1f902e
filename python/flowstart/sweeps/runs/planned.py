"""A cell as scenarios: the flow under test under each variant, among its competing flows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from flowstart.comparison.plan import REMEMBERED
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode, resolve
from flowstart.model.path import told_interface
from flowstart.model.variants import Variant
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs.competing_flows import CompetingFlows, competing
from flowstart.sweeps.runs.facts import Facts


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
        base: Document = {"path": cell.path, "stack": cell.stack, "seed": cell.seed}
        flow = told_interface(cell.path) | {"cached_cwnd": REMEMBERED} | cell.flow
        if cell.cc:
            flow["cc"] = cell.cc
        plain = resolve(base | {"flows": [flow]}, custom)
        facts = Facts.of(plain, cell.path, plain["flows"][0]["size"])
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
    for place in tested:
        flows[place].pop("startup", None)
    return json.dumps(resolved | {"flows": flows}, separators=(",", ":"))
