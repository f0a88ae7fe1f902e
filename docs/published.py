"""What was published of each start-up, beside what is measured here.

`docs/published.toml` has the published numbers; this measures ours and makes the tables.
"""

import functools
import pathlib
import tomllib
from dataclasses import dataclass
from typing import Any

import flowstart as fs
from flowstart import papers
from flowstart.papers import runner
from flowstart.papers.lab import Lab
from flowstart.papers.target import Verdict
from flowstart.render import text
from reference import cell

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


def of(startup: str) -> list[Compared] | str:
    """What was published of a start-up, or why there is nothing to compare with."""
    found = [one for name, one in everything() if name == startup]
    return found or reasons()[startup]


def reasons() -> dict[str, str]:
    """Why there is no published figure, by the start-up's name."""
    found: dict[str, str] = _sources()["none"]
    return found


def table(compared: list[Compared]) -> str:
    """Published beside ours."""
    rows = ["| what | published | here | |", "| --- | --- | --- | --- |"]
    for one in compared:
        met = "met" if one.agrees else "**missed**"
        within = f" {one.tolerance}" if one.tolerance else ""
        what = f"{one.what} ({one.source})"
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
    """Every start-up of which something was published, with that."""
    found = [
        (entry["startup"], _target(name)) for entry in _sources()["target"] for name in entry["ids"]
    ]
    for figure in _sources()["figure"]:
        found += [(name, _figure(figure, name)) for name in figure["startups"]]
    return tuple(found)


# The five papers.


@functools.cache
def _experiment(name: str) -> dict[str, runner.Judged]:
    ((paper, experiment),) = runner.choose(papers.load(), [name])
    return {one.target.id: one for one in runner.run(paper, experiment, Lab(None)).judged}


def _target(name: str) -> Compared:
    known = {target.id: target for paper in papers.load() for target in paper.targets}
    target = known[name]
    one = _experiment(target.experiment)[name]
    assert one.measured is not None
    is_range = isinstance(target.expected, tuple)
    return Compared(
        what=f"`{name}`: {target.what}",
        source=f"{target.paper}, {target.figure}",
        published=_shown(target.expected, target.unit, " to " if is_range else ", "),
        ours=_shown(one.measured.value, target.unit),
        tolerance="" if target.kind == "trend" else target.tolerance(),
        agrees=one.verdict in (Verdict.MET, Verdict.TREND_MET),
        again=f"flowstart papers run {name}",
    )


def _shown(value: Any, unit: str, between: str = ", ") -> str:
    if isinstance(value, list | tuple):
        return f"{between.join(_number(one) for one in value)} {unit}".strip()
    if isinstance(value, float | int):
        return f"{_number(value)} {unit}".strip()
    return str(value)


def _number(value: Any) -> str:
    if not isinstance(value, float | int):
        return str(value)
    sign = "−" if value < 0 else ""
    return sign + (f"{abs(value):,.4g}" if abs(value) < 1000 else text.count(abs(value)))


# Figures with a scenario of their own.


def _figure(figure: dict[str, Any], startup: str) -> Compared:
    published = float(figure["startups"][startup])
    ours = _measured(figure, startup)
    room = figure.get("within", published * figure.get("within_percent", 0) / 100)
    within = figure.get("within_percent")
    return Compared(
        what=figure["what"],
        source=figure["source"],
        published=_shown(published, figure["unit"]),
        ours=_shown(ours, figure["unit"]),
        tolerance=f"± {within} %" if within else f"± {figure['within']}",
        agrees=abs(ours - published) <= room,
        again=_found(figure, startup).plan.command or "",
    )


def _measured(figure: dict[str, Any], startup: str) -> float:
    rows = {row["startup"].partition(":")[0]: row for row in _found(figure, startup).rows}
    if figure["read"] != "gain":
        return float(rows[startup][figure["read"]])
    times = [float(rows[name]["fct_s"]) for name in (startup, figure["beside"])]
    return 100 * (times[0] / times[1] - 1)


def _found(figure: dict[str, Any], startup: str) -> fs.Comparison:
    given = figure.get("parameters")
    names = dict.fromkeys([figure.get("beside", startup), startup])
    return fs.compare(
        fs.Path(**figure["path"]),
        startups=[f"{name}:{given}" if given else name for name in names],
        sizes=[figure["size"]],
        stack=figure["stack"],
        **{key: figure[key] for key in ("remembered",) if key in figure},
    )
