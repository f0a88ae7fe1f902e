"""The answer on a rollout, its table, figure and files."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from flowstart import _native, extras, text
from flowstart.inference import Judgement, Row, Verdict
from flowstart.inference.data import finite
from flowstart.inference.gates import Gate, GateQuantity
from flowstart.questions.option import command_of
from flowstart.questions.verify import Verify as Question
from flowstart.render import columns, figure_files, files, html
from flowstart.render.grid import Column, Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.replays.tables import gates
from flowstart.rollouts.comparability import Shares
from flowstart.rollouts.difference import PartDifference
from flowstart.rollouts.judgement import MOST_MORE, Answer, answer_of
from flowstart.rollouts.measurements import Measured
from flowstart.rollouts.predicted import Prediction

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart.render.files import Content


@dataclass(frozen=True)
class ClassEffect:
    """The effect in all traffic or in a size class."""

    row: Row
    part: PartDifference


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Verification(Result):
    """What measurements of a rollout show of its setting.

    Example:
        >>> import flowstart as fs
        >>> found = fs.verify("control.csv", "iw30.csv")  # doctest: +SKIP
        >>> found.answer, found.wait_for, found.frame  # doctest: +SKIP
    """

    question: Question
    sets: tuple[Measured, Measured]
    """The control and the treatment."""
    margin: float
    """The smallest gain that is worth a rollout."""
    cluster: str
    """What transfers are clustered by."""
    shares: Shares
    objection: str
    """Why the sets are not comparable; empty where they are."""
    effects: tuple[ClassEffect, ...]
    """Of all traffic, then of each size class."""
    verdict: Verdict
    """The gates, by the rule of a replay."""
    more_times: float
    """How many times the present transfers settle what is open."""
    prediction: Prediction | None

    more: ClassVar[str] = "`.frame` has the rows"
    caption: ClassVar[str] = "The effect by size class"

    @property
    def judgement(self) -> Judgement:
        """The effect and the gates of the treatment."""
        return self.verdict.judgements[0]

    @property
    def answer(self) -> Answer:
        """What to do with the setting."""
        return self._decided[0]

    @property
    def reason(self) -> str:
        """Why, in a clause."""
        return self._decided[1]

    @property
    def _decided(self) -> tuple[Answer, str]:
        if self.objection:
            return Answer.NOT_COMPARABLE, self.objection
        return answer_of(self.judgement, self.margin)

    @property
    def transfers(self) -> int:
        """The transfers of both sets."""
        return sum(self.effects[0].part.transfers)

    @property
    def wait_for(self) -> int | None:
        """How many more transfers settle what is open, in two digits; None unless it waits."""
        if self.answer != Answer.WAIT:
            return None
        number = max((min(self.more_times, MOST_MORE) - 1) * self.transfers, 1.0)
        step = 10 ** max(math.floor(math.log10(number)) - 1, 0)
        return int(math.ceil(number / step) * step)

    @property
    def headline(self) -> str:
        """The answer and its reason."""
        over = "over " if self.more_times > MOST_MORE else ""
        words = {
            Answer.ROLL_OUT: "Roll out",
            Answer.WAIT: f"Wait for {over}{self.wait_for:,} more transfers"
            if self.wait_for
            else "",
            Answer.ROLL_BACK: "Roll back",
            Answer.NOT_COMPARABLE: "No verdict: the two sets are not comparable",
        }
        return f"{words[self.answer]}: {self.reason}."

    @property
    def facts(self) -> str:
        """What was compared."""
        control, treatment = self.effects[0].part.transfers
        networks = text.counted(
            round(self.effects[0].row.clusters), self.cluster, f"{self.cluster}s"
        )
        return (
            f"{control:,} transfers without the setting, {treatment:,} with it, worth {networks}; "
            f"{text.share(self.shares.measured)} of connections with it "
            f"(expected {text.share(self.shares.expected)})."
        )

    @property
    def table(self) -> Grid:
        """The effect by size class."""
        grid = Grid([Column("size", number=False), Column("transfers")])
        grid.columns += [Column("change", is_kept=True), Column("95 % CI, %", is_kept=True)]
        grid.columns += [Column("harmed", is_kept=True), Column("p99", is_kept=True)]
        grid.columns += [Column("retransmitted")]
        grid.columns += [Column("predicted")]
        for row in self._rows:
            ends = text.ABSENT
            if row["low"] is not None:
                ends = "…".join(_number(row[end]) for end in ("low", "high"))
            shares = text.ABSENT
            if row["treatment_retransmitted"] is not None:
                both = (row["control_retransmitted"], row["treatment_retransmitted"])
                shares = " → ".join(text.short_share(share) for share in both)
            grid.rows.append(
                [
                    row["size_class"],
                    text.count(row["control_transfers"] + row["treatment_transfers"]),
                    text.short_percent(row["change"]),
                    ends,
                    text.short_share(row["harmed"]),
                    text.short_percent(row["p99_change"]),
                    shares,
                    text.ABSENT
                    if row["predicted"] is None
                    else text.short_percent(row["predicted"]),
                ]
            )
        return grid

    @property
    def _rows(self) -> list[dict[str, Any]]:
        """The rows of the frame."""
        gates = {(gate.part, gate.quantity): gate for gate in self.judgement.gates}
        return [self._row(effect, gates) for effect in self.effects]

    def _row(
        self, effect: ClassEffect, gates: Mapping[tuple[str, GateQuantity], Gate]
    ) -> dict[str, Any]:
        row, (control, treatment) = effect.row, effect.part.transfers
        repeated = effect.part.retransmissions
        fields: dict[str, Any] = {
            "size_class": row.group,
            "control_transfers": control,
            "treatment_transfers": treatment,
            "clusters": row.clusters,
            "change": finite(row.estimate),
            "low": finite(row.low),
            "high": finite(row.high),
            "control_retransmitted": repeated and repeated.control,
            "treatment_retransmitted": repeated and repeated.treatment,
            "predicted": self.prediction and self.prediction.changes.get(row.group),
        }
        for name, quantity in (("harmed", GateQuantity.HARMED), ("p99_change", GateQuantity.P99)):
            gate = gates.get((row.group, quantity))
            ends = (gate.estimate, gate.low, gate.high) if gate else (None, None, None)
            prefix = name.removesuffix("_change")
            names = (name, f"{prefix}_low", f"{prefix}_high")
            fields |= dict(zip(names, map(finite, ends), strict=True))
        return fields

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for all traffic and for each size class."""
        return columns.frame(self._rows, "verify-rows")

    @property
    def command(self) -> str | None:
        """The command that gives the same result; None where sets were not named by files."""
        return command_of(self.question, ("flowstart", "verify"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        control, treatment = self.sets
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "answer": str(self.answer),
            "reason": self.reason,
            "wait_for_transfers": self.wait_for,
            "control": control.document,
            "treatment": treatment.document,
            "clustered_by": self.cluster,
            "min_effect": self.margin,
            "share": {
                "expected": self.shares.expected,
                "measured": self.shares.measured,
                "connections": list(self.shares.connections),
                "chi_squared": self.shares.chi_squared,
                "differs": self.shares.differs,
            },
            "classes": self._rows,
            "gates": [gate.document for gate in self.judgement.gates],
            "predicted": self.prediction
            and {
                "setting": self.prediction.setting,
                "agrees": {e.row.group: self.prediction.agrees(e.row) for e in self.effects},
            },
        }

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """The effect by size class with its intervals, and what was predicted.

        Args:
            ax: The axes to draw into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.render.effects import Effect, draw_effects, effects  # loads matplotlib

        names = ("size_class", "change", "low", "high", "predicted")
        shown = [Effect(*(row[name] for name in names)) for row in self._rows]
        axis = "change of the geometric mean in %, 95 % CI; cross: predicted"
        return effects(shown, self.headline, axis) if ax is None else draw_effects(ax, shown, axis)

    @property
    def notes(self) -> list[str]:
        """What the table needs to be understood."""
        adjusted = "size and the network's history" if self.question.before else "size"
        notes = [
            f"change: of the geometric mean of completion times, adjusted for {adjusted}.",
            "harmed: at least so many transfers take over 10 % longer.",
            f"Intervals hold at every look, and are clustered by {self.cluster}.",
        ]
        if not any(gate.kind == "networks" for gate in self.judgement.gates):
            notes.append("Harm by network is not shown: no two networks are in both sets.")
        if not any(gate.quantity == GateQuantity.RETRANSMITTED for gate in self.judgement.gates):
            notes.append("Retransmissions are not known.")
        if self.prediction:
            notes.append(self._agreement(self.prediction))
        return notes

    def _agreement(self, prediction: Prediction) -> str:
        row = self.effects[0].row
        change, agrees = prediction.changes.get(row.group), prediction.agrees(row)
        if agrees is None or change is None:
            return f"The prediction for {prediction.setting} cannot be compared."
        where = "within" if agrees else "outside of"
        return f"Predicted for {prediction.setting}: {text.percent(change)}, {where} the interval."

    def summary(self, command: str = "") -> SummaryPage:
        """The answer, its reason and the effect by size class."""
        hint = "All tables: --details. Report: -o DIR"
        answer = [self.headline, self.facts]
        return SummaryPage("", answer, self.table, self.notes, command, hint=hint)

    def files(
        self, progress: figure_files.Progress | None = None
    ) -> "Iterator[Mapping[str, Content]]":
        """JSON and rows; then the figure and the page."""
        written: dict[str, Content] = {"verify.json": files.encoded(self.to_dict())}
        yield written | files.columns(self.frame, "verify", "verify-rows")
        parts = [*self.summary().html(), html.table(gates(self.verdict))]
        figure: dict[str, figure_files.Draw] = {"effects": lambda: (self.plot(), self.caption)}
        yield figure_files.report("Rollout", parts, figure, progress)

    def __repr__(self) -> str:
        return f"<Verification of {self.transfers:,} transfers: {self.answer}>"


def _number(value: float | None) -> str:
    """A change in per cent, without the sign of it."""
    return text.short_percent(value).removesuffix(" %")
