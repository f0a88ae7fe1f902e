"""The answer of a gate: which cases are worse, by how much, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from flowstart import _native, extras, text
from flowstart.gate import forms
from flowstart.gate.base import GateBase
from flowstart.gate.judgement import Difference, Judged, Limits, Outcome
from flowstart.inference.data import finite
from flowstart.questions.gate import GateCheck
from flowstart.questions.option import command_of
from flowstart.render import columns, figure_files, files, html
from flowstart.render.grid import Column, Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart.render.files import Content


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class GateResult(Result):
    """What became of the cases of a base.

    Example:
        >>> import flowstart as fs
        >>> checked = fs.gate_check("base.json")  # doctest: +SKIP
        >>> checked.passed, checked.worse  # doctest: +SKIP
    """

    base: GateBase
    question: GateCheck
    limits: Limits
    judged: tuple[Judged, ...]

    more: ClassVar[str] = "`.frame` has the rows"
    caption: ClassVar[str] = "Change of the completion time by case"

    @property
    def passed(self) -> bool:
        """Whether no case is worse."""
        return not self.worse

    @property
    def worse(self) -> list[Judged]:
        """The cases that got worse, those with the largest change first."""
        return sorted(self._of(Outcome.WORSE), key=_change, reverse=True)

    def _of(self, outcome: Outcome) -> list[Judged]:
        return [each for each in self.judged if each.outcome == outcome]

    @property
    def headline(self) -> str:
        """The answer, and the commonest cause."""
        total = text.counted(len(self.judged), "case", "cases")
        if self.passed:
            return f"Passed: none of {total} is worse than {self.base.file}."
        causes = Counter(cause for each in self.worse for cause in each.causes[:1])
        (cause, count), *_ = causes.most_common(1)
        return f"Worse: {len(self.worse)} of {total}. Commonest cause: {cause} ({count})."

    @property
    def facts(self) -> str:
        """What else there is, and the limits."""
        counts = Counter(each.outcome for each in self.judged)
        others = [
            f"{counts[outcome]} {outcome}"
            for outcome in (Outcome.SAME, Outcome.BETTER, Outcome.UNCERTAIN)
            if counts[outcome]
        ]
        limits = (
            f"Limits: {text.share(self.limits.slower)} slower, loss "
            f"+{text.share(self.limits.loss)}, harm +{text.share(self.limits.harm)}."
        )
        return f"Others: {', '.join(others) or 'none'}. {limits}"

    @property
    def shown(self) -> list[Judged]:
        """The rows of the table: what is worse, uncertain or better; without any, the largest."""
        order = [Outcome.WORSE, Outcome.UNCERTAIN, Outcome.BETTER]
        changed = [each for outcome in order for each in sorted(self._of(outcome), key=_size)]
        return changed or sorted(self.judged, key=_size)[:3]

    @property
    def table(self) -> Grid:
        """The cases that changed."""
        return self._grid(self.shown)

    @property
    def all_cases(self) -> Grid:
        """Every case, in the order of the base."""
        return self._grid(list(self.judged))

    def _grid(self, rows: list[Judged]) -> Grid:
        variants = len({each.variant for each in self.judged}) > 1
        grid = Grid([Column("case", number=False)])
        grid.columns += [Column("variant", number=False)] * variants
        grid.columns += [Column("change", is_kept=True), Column("95 % CI, %", is_kept=True)]
        grid.columns += [Column("outcome", number=False, is_kept=True)]
        grid.columns += [Column("cause", number=False, is_kept=True)]
        for each in rows:
            time = each.time
            cells = [each.case, *([each.variant] if variants else [])]
            cells += [text.short_percent(time.estimate) if time else text.ABSENT, _ends(time)]
            grid.rows.append([*cells, str(each.outcome), "; ".join(each.causes) or text.ABSENT])
        return grid

    @property
    def _rows(self) -> list[dict[str, Any]]:
        return [_row(each) for each in self.judged]

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each case."""
        return columns.frame(self._rows, "gate-rows")

    @property
    def command(self) -> str | None:
        """The command that checks again."""
        return command_of(self.question, ("flowstart", "gate", "check"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "passed": self.passed,
            "base": {"file": self.base.file, "flowstart": self.base.version},
            "limits": vars(self.limits),
            "cases": self._rows,
        }

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """The change of each case that is shown, with its interval.

        Args:
            ax: The axes to draw into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.render.effects import Effect, draw_effects, effects  # loads matplotlib

        shown = [
            Effect(each.case, *(_row(each)[f"time_{end}"] for end in ("change", "low", "high")))
            for each in self.shown
        ]
        axis = "change of the completion time in %, simultaneous 95 % CI"
        return effects(shown, self.headline, axis) if ax is None else draw_effects(ax, shown, axis)

    @property
    def notes(self) -> list[str]:
        """What the table needs to be understood."""
        pairs = self.base.cases["repeat"]
        return [f"change: of the completion time, in {pairs} pairs; all intervals hold together."]

    def summary(self, command: str = "") -> SummaryPage:
        """The answer and the cases that changed most."""
        hint = "All cases: --details. Report, junit.xml, gate.md: -o DIR"
        answer = [self.headline, self.facts]
        return SummaryPage("", answer, self.table, self.notes, command, hint=hint)

    def files(
        self, progress: figure_files.Progress | None = None
    ) -> "Iterator[Mapping[str, Content]]":
        """JSON, rows and the forms for CI; then the figure and the page."""
        written: dict[str, Content] = {
            "gate.json": files.encoded(self.to_dict()),
            "junit.xml": forms.junit(self.judged, self.base.file),
            "gate.md": forms.markdown([self.headline, self.facts], self.table),
        }
        yield written | files.columns(self.frame, "cases", "gate-rows")
        parts = [*self.summary().html(), html.table(self.all_cases)]
        figure: dict[str, figure_files.Draw] = {"changes": lambda: (self.plot(), self.caption)}
        yield figure_files.report("Gate", parts, figure, progress)

    def __repr__(self) -> str:
        return f"<GateResult of {len(self.judged)} cases: {len(self.worse)} worse>"


def _change(judged: Judged) -> float:
    """The change of the time; without times, the largest."""
    return judged.time.estimate if judged.time and not judged.after.error else float("inf")


def _size(judged: Judged) -> float:
    return -abs(_change(judged))


def _ends(difference: Difference | None) -> str:
    if difference is None:
        return text.ABSENT
    ends = (text.short_percent(end) for end in (difference.low, difference.high))
    return "…".join(end.removesuffix(" %") for end in ends)


def _row(each: Judged) -> dict[str, Any]:
    row: dict[str, Any] = {
        "case": each.case,
        "variant": each.after.variant,
        "outcome": str(each.outcome),
        "causes": "; ".join(each.causes),
    }
    for name in ("time", "loss", "harm"):
        difference: Difference | None = getattr(each, name)
        ends = (difference.estimate, difference.low, difference.high) if difference else (None,) * 3
        names = (f"{name}_change", f"{name}_low", f"{name}_high")
        row |= dict(zip(names, map(finite, ends), strict=True))
    return row
