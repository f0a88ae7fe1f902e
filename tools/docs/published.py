"""What was published of each startup, beside what is measured here.

`tools/docs/published.toml` has the published numbers; this measures ours and makes the tables.
"""

import functools
import pathlib
import tomllib
from dataclasses import dataclass
from typing import Any

import flowstart as fs
import flowstart_papers as papers
from flowstart.comparison import larger_window
from flowstart_papers import grids, runner
from flowstart_papers.lab import Lab
from flowstart_papers.target import Verdict
from reference import cell

PAPERS = "The five papers"
"""The group of the papers' targets, which have pages of their own."""
SOURCES = pathlib.Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Compared:
    """A published number or answer, and ours."""

    what: str
    source: str
    published: str
    ours: str
    tolerance: str
    agrees: bool
    again: str
    """The command that measures it."""
    group: str
    """Whose it is, in a heading."""
    startup: str
    """The startup with its parameters."""
    why: str = ""
    """The cause of a miss, where it is known."""


def of(startup: str) -> list[Compared] | str:
    """What was published of a startup, or why there is nothing to compare with."""
    found = [one for name, one in everything() if name == startup]
    return found or reasons()[startup]


def reasons() -> dict[str, str]:
    """Why there is no published figure, by the startup's name."""
    found: dict[str, str] = _sources()["none"]
    return found


def table(compared: list[Compared]) -> str:
    """Published beside ours."""
    rows = ["| what | published | here | |", "| --- | --- | --- | --- |"]
    for one in compared:
        met = "met" if one.agrees else "**missed**"
        within = f" {one.tolerance}" if one.tolerance else ""
        what = f"{one.what} ({one.source})"
        if "variant=" in one.startup or "version=" in one.startup:
            what = f"`{one.startup}`: {what}"
        rows.append(f"| {cell(what)} | {cell(one.published)}{within} | {cell(one.ours)} | {met} |")
    return "\n".join(rows)


def in_short(startup: str) -> str:
    """Whether published figures are met, in a cell."""
    found = of(startup)
    if isinstance(found, str):
        return "none"
    met = sum(one.agrees for one in found)
    return f"{met} of {len(found)} met"


@functools.cache
def _sources() -> dict[str, Any]:
    return tomllib.loads(SOURCES.read_text("utf-8"))


@functools.cache
def everything() -> tuple[tuple[str, Compared], ...]:
    """Every startup of which something was published, with that."""
    found = [
        (entry["startup"], _target(name)) for entry in _sources()["target"] for name in entry["ids"]
    ]
    for figure in _sources()["figure"]:
        found += _figure(figure)
    return tuple(found)


def _with_unit(value: str, unit: str) -> str:
    return f"{value} {unit}" if unit and any(map(str.isdigit, value)) else value


# The five papers.


@functools.cache
def _experiment(name: str) -> dict[str, runner.Judged]:
    ((paper, experiment),) = runner.choose(papers.load(), [name])
    return {one.target.id: one for one in runner.run(paper, experiment, Lab(None)).judged}


def _target(name: str) -> Compared:
    known = {target.id: target for paper in papers.load() for target in paper.targets}
    target = known[name]
    one = _experiment(target.experiment)[name]
    is_trend = target.kind == "trend"
    published = grids.expected(target.expected)
    return Compared(
        what=f"`{name}`: {target.what}",
        source=f"{target.paper}, {target.figure}",
        published=published if is_trend else _with_unit(published, target.unit),
        ours=_with_unit(grids.measured(one.measured), target.unit),
        tolerance="" if is_trend else target.tolerance(),
        agrees=one.verdict in (Verdict.MET, Verdict.TREND_MET),
        again=f"flowstart papers run {name}",
        group=PAPERS,
        startup="",
    )


# Figures with a scenario of their own.


def _figure(figure: dict[str, Any]) -> list[tuple[str, Compared]]:
    """A figure of several startups, which are run together."""
    found = _run(figure)
    given = f":{figure['parameters']}" if "parameters" in figure else ""
    own = (row for row in found.records if row["variant"] != larger_window.NAME)
    rows = dict(zip(_names(figure), own, strict=True))
    compared = []
    for startup, published in figure["startups"].items():
        ours = _read(figure, rows, startup)
        name = startup.partition(":")[0]
        one = Compared(
            what=figure["what"],
            source=figure["source"],
            published=_with_unit(grids.cell(published), figure["unit"]),
            ours=_with_unit(grids.cell(ours), figure["unit"]),
            tolerance=_tolerance(figure),
            agrees=_agrees(figure, published, ours),
            again=found.plan.command or "",
            group=figure["group"],
            startup=f"{startup}{given}",
            why=figure.get("why", {}).get(name, ""),
        )
        compared.append((name, one))
    return compared


def _tolerance(figure: dict[str, Any]) -> str:
    if figure.get("limit"):
        return "at most"
    if "within_percent" in figure:
        return f"± {figure['within_percent']} %"
    return f"± {figure['within']}"


def _agrees(figure: dict[str, Any], published: float, ours: float) -> bool:
    if figure.get("limit"):
        return ours <= published
    room = figure.get("within")
    if room is None:
        room = abs(published) * figure["within_percent"] / 100
    return bool(abs(ours - published) <= room)


def _read(figure: dict[str, Any], rows: dict[str, dict[str, Any]], startup: str) -> float:
    row = rows[startup]
    if figure["read"] == "gain":
        return 100 * (float(row["fct_s"]) / float(rows[figure["beside"]]["fct_s"]) - 1)
    if figure["read"] == "goodput_mbps":
        return 8e-6 * float(row["size_bytes"]) / float(row["fct_s"])
    return float(row[figure["read"]])


GIVEN = ("cc", "landing", "stack")
"""What a figure may set besides its path, startups, size and cached state."""


def _names(figure: dict[str, Any]) -> list[str]:
    """The startups of a figure, that they are compared with first."""
    return [*([figure["beside"]] if "beside" in figure else []), *figure["startups"]]


def _run(figure: dict[str, Any]) -> fs.Comparison:
    given = f":{figure['parameters']}" if "parameters" in figure else ""
    startups = [f"{name}{given}" for name in _names(figure)]
    asked: dict[str, Any] = {"startups": startups}
    if "cached_cwnd" in figure:
        cached = f"cached_cwnd={figure['cached_cwnd']}"
        asked = {"variants": [f"{n.partition(':')[0]}: startup={n} {cached}" for n in startups]}
    return fs.compare(
        fs.NetworkPath(**figure["path"]),
        sizes=[figure["size"]],
        uncertainty=False,
        **asked,
        **{key: figure[key] for key in GIVEN if key in figure},
    )
