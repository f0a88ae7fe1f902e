"""The findings of a search for the worst paths."""

import functools
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native, extras, text
from flowstart.errors import RequestError
from flowstart.maps import worst_cells
from flowstart.maps.worst_cells import in_words
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.render import columns, figure_files, files, html
from flowstart.render.grid import Column, Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.worst_paths.evaluate import MEASURES, NEVER, Evaluation, Evaluator
from flowstart.worst_paths.space import PathCase

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart.simulation.series import Series


EARLY = 0.5
"""A startup that left below this share of the BDP left early."""
LATE = 1.5
"""One whose window was beyond this and the buffer left late."""
MUCH = 0.1
"""This share of retransmissions is much."""
SHARING = ("long", "bbr", "same", "web")
"""Competing flows that has its part of the path, so that a BDP is not what a flow can have."""
SMALL = 0.1
"""Below this share of the BDP one digit is enough."""
WIDEST = 48
"""Characters of a path in the summary's table."""
MEASURED = {
    "regret": "takes up to {} the time of the fastest other",
    "loss": "retransmits up to {} more of its packets than the best other",
    "harm": "harms competing flows up to {} more than the best other",
}
"""The answer by measure."""
Row = Mapping[str, Any]


def explained(row: Row, best: Row) -> str:
    """Why a startup did as it did, from its row and that of the best of the others."""
    reasons = [reason for reason in (_exit(row), _losses(row), _idle(row)) if reason]
    how = "; ".join(reasons) or "nothing of it is remarkable but its time"
    return f"{how[0].upper()}{how[1:]}. {_compared(row, best)}"


def _exit(row: Row) -> str:
    """How it left its startup."""
    reason, cwnd, share = (
        row[name] for name in ("startup_exit_reason", "startup_exit_cwnd_segments", "exit_cwnd_bdp")
    )
    if reason is None:
        return "it never left its startup"
    at = f"a window of {cwnd:,.0f} packets"
    if share is not None:
        at += f", {_bdps(share)}"
    left = f"it left its startup by {reason} at {at}"
    if row["competing"] in SHARING:
        return left
    room = 1 + (row["buffer_bdp"] or 0.0)
    if share is not None and share < EARLY:
        return f"{left}: too early, and congestion control had to grow the rest"
    if share is not None and share > LATE * room:
        return f"{left}, where path and buffer hold {text.ratio(room)}: too late"
    return left


def _losses(row: Row) -> str:
    """What it lost, and how that was repaired."""
    share, timeouts = row["retransmitted_share"] or 0.0, row["timeouts"] or 0
    waited = f"{timeouts} timeout{'s' if timeouts > 1 else ''}" if timeouts else ""
    if share >= MUCH:
        again = f"{share:.0%} of its packets were sent again"
        return f"{again}, with {waited}" if waited else again
    if waited:
        return f"it waited for {waited}"
    rounds = row["loss_rounds"] or 0
    return f"{rounds} recoveries followed its exit" if rounds > 1 else ""


def _idle(row: Row) -> str:
    """How long it left the bottleneck idle."""
    idle, fct = row["idle_s"], row["fct_s"]
    if idle is None or fct is None or idle < fct / 2:
        return ""
    # Never all of it: the transfer itself keeps the bottleneck busy.
    share = "more than 99%" if idle > 0.99 * fct else f"{idle / fct:.0%}"
    return f"the bottleneck was idle for {share} of the transfer"


def _compared(row: Row, best: Row) -> str:
    """The same beside the best of the others."""
    if row["fct_s"] is None:
        return f"It never finished; {best['startup']} took {_seconds(best['fct_s'])}"
    times = f"It took {_seconds(row['fct_s'])}, {best['startup']} {_seconds(best['fct_s'])}"
    reason, share = best["startup_exit_reason"], best["exit_cwnd_bdp"]
    if reason is None:
        return times
    at = f" at {_bdps(share)}" if share is not None else ""
    return f"{times}, which left by {reason}{at}"


def _bdps(share: float) -> str:
    return f"{share:.1g} BDP" if share < SMALL else f"{text.ratio(share)} BDP"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "no time that is known"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


@dataclass(frozen=True)
class Failing:
    """A path on which a startup does badly."""

    case: PathCase
    evaluation: Evaluation

    @property
    def startup(self) -> str:
        """The startup."""
        return str(self.evaluation.row["startup"])

    @property
    def best(self) -> str:
        """The best of the others there."""
        return str(self.evaluation.best["startup"])

    @property
    def score(self) -> float:
        """By how much, as the measure has it."""
        return self.evaluation.score

    @property
    def where(self) -> str:
        """The path, the size and the competing in words."""
        return in_words(self.evaluation.row)

    @property
    def why(self) -> str:
        """What happened, in a sentence or two."""
        return explained(self.evaluation.row, self.evaluation.best)

    @functools.cached_property
    def scenario(self) -> Document:
        """The scenario, in which the flow under test names no startup."""
        document: Document = worst_cells.shortened(json.loads(self.evaluation.row["scenario"]))
        return document

    @functools.cached_property
    def command(self) -> str | None:
        """What compares the two there; None where it takes the scenario's file."""
        whole = json.loads(self.evaluation.row["scenario"])
        return worst_cells.command(whole, [self.startup, self.best])

    def again(self, file: str) -> str:
        """The same, or what does it with the scenario in a file."""
        return self.command or worst_cells.from_file(
            file, worst_cells.options([self.startup, self.best], {})
        )


@dataclass(frozen=True, repr=False)
class WorstPaths(Result):
    """The worst paths that a search has found, worst first.

    Attributes:
        variants: The startup whose worst paths these are, then those that it is compared with.
        measure: Quantity that was searched for, such as `fct`.
        tries: Number of paths that were tried.
        failings: The paths, worst first.

    Example:
        >>> import flowstart as fs
        >>> space = "rate=5Mbps,rtt=50ms,size=100kB,buffer=20pkt,competing=alone"
        >>> names = ["slow-start"]
        >>> found = fs.find_worst_paths("hystart", against=names, runs=2, search_space=space)
        >>> found.startup
        'hystart'
    """

    variants: tuple[Variant, ...]
    measure: str
    tries: int
    evaluator: Evaluator
    failings: tuple[Failing, ...]

    more = "`.failings` has the reasons"
    caption = "The worst path over time"

    @property
    def startup(self) -> str:
        """The startup whose worst it is."""
        return self.variants[0].name

    @property
    def seed(self) -> int:
        """The seed of the search."""
        return self.evaluator.seed

    @property
    def headline(self) -> str:
        """One line on what was looked for."""
        others = len(self.variants) - 1
        against = f"{others} others" if others > 1 else self.variants[1].name
        return (
            f"{self.startup} against {against}: {MEASURES[self.measure]}; "
            f"{self.tries} paths tried, {self.evaluator.runs:,} runs, seed {self.evaluator.seed}"
        )

    @property
    def table(self) -> Grid:
        """A row for each finding."""
        grid = Grid(
            [
                Column("", number=True),
                Column(self.measure),
                Column("where", number=False),
                Column("best there", number=False),
            ]
        )
        for number, failing in enumerate(self.failings, 1):
            cells = [str(number), score(self.measure, failing.score), failing.where, failing.best]
            grid.rows.append(cells)
        return grid

    @property
    def frame(self) -> "pl.DataFrame":
        """The rows of both startups in each finding, as a sweep has them."""
        rows = [
            row | {"finding": number, "score": failing.score}
            for number, failing in enumerate(self.failings, 1)
            for row in (failing.evaluation.row, failing.evaluation.best)
        ]
        return columns.frame(rows, "worst-rows")

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "startup": self.startup,
            "against": [variant.name for variant in self.variants[1:]],
            "measure": self.measure,
            "tries": self.tries,
            "runs": self.evaluator.runs,
            "seed": self.evaluator.seed,
            "findings": [
                {
                    "score": failing.score,
                    "where": failing.where,
                    "why": failing.why,
                    "best": failing.best,
                    "command": failing.command,
                    "scenario": failing.scenario,
                    "seeds": list(failing.evaluation.seeds),
                    "row": _plain(failing.evaluation.row),
                    "best_row": _plain(failing.evaluation.best),
                }
                for failing in self.failings
            ],
        }

    def series(self, number: int = 0) -> "list[Series]":
        """The startup and the best of the others over time in a finding; simulated again."""
        return self.evaluator.series(self.failings[number].evaluation)

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None, number: int = 0) -> "Figure":
        """The startup and the best of the others over time in a finding; simulated again.

        Args:
            ax: The axes to draw windows into, in the place of a new figure.
            number: The finding, counted from 0.

        Returns:
            The figure.

        Raises:
            RequestError: There is no such finding.
        """
        from flowstart.render.charts import figure_of  # loads matplotlib
        from flowstart.simulation import figures

        if not 0 <= number < len(self.failings):
            count = text.counted(len(self.failings), "finding", "findings")
            raise RequestError(f"finding {number}: the search has {count}, counted from 0")
        if ax is not None:
            figures.draw_cwnd(ax, self.series(number))
            return figure_of(ax)
        return figures.over_time(self.series(number), figures.FigureFacts(self._title(number)))

    def _title(self, number: int) -> str:
        failing = self.failings[number]
        return f"{self.startup}, {score(self.measure, failing.score)}: {failing.where}"

    def summary(self, command: str = "", scenario: str = "") -> SummaryPage:
        """The largest failure, its path and reason, and the other findings.

        `scenario` is the file of the first one's scenario, where it is kept.
        """
        others = self.variants[1:]
        against = f"{len(others)} others" if len(others) > 1 else others[0].name
        ran = (
            f"{self.startup} against {against} on {self.tries:,} paths, "
            f"{text.counted(self.evaluator.runs, 'run', 'runs')}, seed {self.evaluator.seed}."
        )
        if not self.failings:
            nowhere = f"{self.startup} is nowhere worse than the best of the others."
            return SummaryPage(ran, [nowhere], command=command)
        first = self.failings[0]
        worst = MEASURED[self.measure].format(_short_score(self.measure, first.score))
        never = self.measure == "regret" and first.score >= NEVER
        notes = ["A transfer that never completes counts as 1,000 times."] * never
        hint = "Why on each path, and its command: --details. Figures: -o DIR"
        again = first.again(scenario) if first.command or scenario else ""
        answer = [f"{self.startup} {worst}: {first.where}.", f"{first.why}."]
        return SummaryPage(ran, answer, self._summary_table(), notes, command, again, hint)

    def _summary_table(self) -> Grid:
        grid = Grid([Column("path"), Column(self.measure)])
        grid.columns += [Column("rate × RTT, buffer, size", number=False)]
        grid.columns += [Column("best there", number=False)]
        for number, failing in enumerate(self.failings, 1):
            where = in_words(failing.evaluation.row, brief=True)
            cut = textwrap.shorten(where, WIDEST, placeholder=" …")
            cells = [str(number), _short_score(self.measure, failing.score, "×"), cut, failing.best]
            grid.rows.append(cells)
        return grid

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """JSON, rows and the scenario of each finding; then figures and the page."""
        written = {"worst.json": files.encoded(self.to_dict())}
        if self.failings:
            written |= files.columns(self.frame, "worst", "worst-rows")
        for number, failing in enumerate(self.failings, 1):
            written[scenario_file(number)] = files.encoded(failing.scenario)
        yield written
        yield self._pictures(progress)

    def _pictures(self, progress: figure_files.Progress | None) -> dict[str, bytes]:
        """The trajectory of each finding, and the page that holds them."""
        written: dict[str, bytes] = {}
        summary = self.summary(scenario=scenario_file(1))
        parts = [*summary.html(), html.heading("Details")]
        parts += [html.paragraph(self.headline), html.table(self.table)]
        for number, failing in enumerate(self.failings, 1):
            if progress:
                progress(number - 1, len(self.failings))
            parts += [html.heading(f"{number}. {failing.where}"), html.paragraph(failing.why)]
            parts.append(html.code(failing.again(scenario_file(number))))
            if not figure_files.wanting():
                drawn = figure_files.of(f"worst-{number}", self.plot(number=number - 1))
                written |= drawn.contents
                parts.append(html.picture(drawn.svg, self._title(number - 1)))
        parts += figure_files.apology()
        page = html.page(f"The worst of {self.startup}", [*parts, html.made_by()])
        return written | {"report.html": page.encode()}

    def __repr__(self) -> str:
        return f"<WorstPaths of {self.startup}: {len(self.failings)} findings of {self.measure}>"


def score(measure: str, value: float) -> str:
    """A score in words: a factor, or points of a percentage."""
    return f"{value:.2f}×" if measure == "regret" else f"{100 * value:+.1f} points"


def _short_score(measure: str, value: float, times: str = " times") -> str:
    if measure == "regret":
        return ("1,000" if value >= NEVER else f"{value:.3g}") + times
    return f"{text.short_share(value).removesuffix(' %')} points"


def scenario_file(number: int) -> str:
    """The file of a finding's scenario, counted from 1."""
    return f"worst-{number}.json"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "scenario"}
